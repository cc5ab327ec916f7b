// JSON of Daml values as protobuf of the Ledger API, where the packages are: each type is compiled for its first value.
import type { Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import { keptJsonOf } from './exact-json.ts'
import type { MessageWriter } from './message-writer.ts'
import { NotAsWritten, PackedReader } from './packed-reader.ts'
import { compilePerType, optionalShape } from './shapes.ts'
import { type PlannedShape, plannedOf } from './value-plan.ts'
import { contentOf, type Parts, type RenderNext, renderingOf } from './value-rendering.ts'

export type LedgerValueRendering = {
  /** The content of a Value. `json` is what JSON.parse returns, or JSON kept as text. */
  value(writer: MessageWriter, json: unknown, type: Type): void
  /** The content of a Record, for a type that is one. */
  record(writer: MessageWriter, json: unknown, type: Type): void
}

type TypedRendering = (type: Type) => { readonly run: RenderNext }

export function createLedgerValueRendering(dataTypes: DataTypes, isVerbose: boolean): LedgerValueRendering {
  const reader = new PackedReader()
  const current = renderings((shape) => shape)
  // Ledgers from before have an array for every Optional in an Optional.
  const older = renderings((shape) => (shape.kind === 'optional' ? { ...shape, isOfParameter: false } : shape))

  function renderings(as: <Shape extends PlannedShape<Type>>(shape: Shape) => Shape) {
    const itself = (type: Type) => type
    const asOptional: Parts<Type>['asOptional'] = (type) => {
      const shape = optionalShape(type)
      return shape === undefined ? undefined : as(shape)
    }
    const value: TypedRendering = compilePerType<RenderNext>(dataTypes, (shape, _type, of) =>
      renderingOf(as(plannedOf(shape, itself)), { of, asOptional, isVerbose }),
    )
    const record: TypedRendering = compilePerType<RenderNext>(dataTypes, (shape) =>
      contentOf(plannedOf(shape, itself), { of: value, asOptional, isVerbose }),
    )
    return { value, record }
  }

  const renderer = (kind: 'value' | 'record') => (writer: MessageWriter, json: unknown, type: Type) => {
    const text = keptJsonOf(json) ?? JSON.stringify(json ?? null)
    const start = writer.position()
    try {
      reader.start(text)
      current[kind](type).run(reader, writer)
    } catch (error) {
      if (!(error instanceof NotAsWritten)) throw error
      writer.takeBack(start)
      reader.start(text)
      older[kind](type).run(reader, writer)
    }
  }

  return { value: renderer('value'), record: renderer('record') }
}
