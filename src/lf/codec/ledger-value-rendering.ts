// JSON of Daml values as protobuf of the Ledger API, where the packages are: each type is compiled for its first value.
import type { Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import type { MessageWriter } from './message-writer.ts'
import { PackedReader } from './packed-reader.ts'
import { compilePerType, isOptional } from './shapes.ts'
import { plannedOf } from './value-plan.ts'
import { contentOf, type RenderNext, renderingOf } from './value-rendering.ts'

export type LedgerValueRendering = {
  /** The content of a Value. `json` is what JSON.parse returns. */
  value(writer: MessageWriter, json: unknown, type: Type): void
  /** The content of a Record, for a type that is one. */
  record(writer: MessageWriter, json: unknown, type: Type): void
}

export function createLedgerValueRendering(dataTypes: DataTypes, isVerbose: boolean): LedgerValueRendering {
  const reader = new PackedReader()
  const itself = (type: Type) => type
  const inOptional = (type: Type) => (isOptional(type) ? type.args[0] : undefined)
  const values = compilePerType<RenderNext>(dataTypes, (shape, _type, of) =>
    renderingOf(plannedOf(shape, itself), { of, inOptional, isVerbose }),
  )
  const records = compilePerType<RenderNext>(dataTypes, (shape) =>
    contentOf(plannedOf(shape, itself), { of: values, inOptional, isVerbose }),
  )

  function render(writer: MessageWriter, json: unknown, run: RenderNext): void {
    reader.start(JSON.stringify(json ?? null))
    run(reader, writer)
  }

  return {
    value: (writer, json, type) => render(writer, json, values(type).run),
    record: (writer, json, type) => render(writer, json, records(type).run),
  }
}
