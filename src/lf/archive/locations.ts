// Where an expression stood in the source: Location of daml_lf2.proto.
import type { Location } from '../syntax/ast.ts'
import type { Content } from './content.ts'
import { int32 } from './contents.ts'
import { moduleReference } from './identifiers.ts'
import { mapped, maybe, message, once } from './message.ts'

const range = message(
  'Location.Range',
  [once(1, 'start_line', int32), once(2, 'start_col', int32), once(3, 'end_line', int32), once(4, 'end_col', int32)],
  (startLine, startColumn, endLine, endColumn) => ({ startLine, startColumn, endLine, endColumn }),
)

/** Without a module, it is the one being read; without a range, there is no location. */
export const location: Content<Location | undefined> = mapped(
  message('Location', [maybe(1, 'module', moduleReference), maybe(2, 'range', range)], (module, range) => ({
    module,
    range,
  })),
  ({ module, range }, decoding) => {
    if (!range) return undefined
    const { startLine, startColumn, endLine, endColumn } = range
    const { packageId, module: name } = module ?? decoding
    return { packageId, module: name, startLine, startColumn, endLine, endColumn }
  },
)
