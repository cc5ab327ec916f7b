// JSON of Daml values as protobuf of the Ledger API, where the packages are: each type is compiled for its first value.

import { keptJsonOf } from '../../../base/exact-json.ts'
import type { MessageWriter } from '../../../protobuf/message-writer.ts'
import type { Type } from '../../syntax/ast.ts'
import type { DataTypes } from '../../values/data-types.ts'
import { JsonReader } from '../json-reader.ts'
import { compilePerType, optionalShape } from '../shapes.ts'
import { plannedOf } from '../value-plan.ts'
import { contentOf, type RenderNext, renderingOf } from '../value-rendering.ts'

export type LedgerValueRendering = {
  /** The content of a Value. `json` is what JSON.parse returns, or JSON kept as text. */
  value(writer: MessageWriter, json: unknown, type: Type): void
  /** The content of a Record, for a type that is one. */
  record(writer: MessageWriter, json: unknown, type: Type): void
}

export function createLedgerValueRendering(dataTypes: DataTypes, isVerbose: boolean): LedgerValueRendering {
  const reader = new JsonReader()
  const itself = (type: Type) => type
  const values = compilePerType<RenderNext>(dataTypes, (shape, _type, of) =>
    renderingOf(plannedOf(shape, itself), { of, asOptional: optionalShape, isVerbose }),
  )
  const records = compilePerType<RenderNext>(dataTypes, (shape) =>
    contentOf(plannedOf(shape, itself), { of: values, asOptional: optionalShape, isVerbose }),
  )

  function render(writer: MessageWriter, json: unknown, run: RenderNext): void {
    reader.start(keptJsonOf(json) ?? JSON.stringify(json ?? null))
    run(reader, writer)
  }

  return {
    value: (writer, json, type) => render(writer, json, values(type).run),
    record: (writer, json, type) => render(writer, json, records(type).run),
  }
}
