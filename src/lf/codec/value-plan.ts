// The shape of a type, with the shapes of all types in it, as plain data: a thread that has no packages renders values with
// it.
import type { Identifier, Type } from '../syntax/ast.ts'
import type { DataTypes } from '../values/data-types.ts'
import { KindError } from '../values/kinds.ts'
import { type ScalarKind, type Shape, shapeOf, typeKey } from './shapes.ts'
import { ValueError } from './value-error.ts'

export type PlannedOptional<Part> = {
  readonly kind: 'optional'
  readonly element: Part
  readonly isOfParameter: boolean
}

/** What rendering must know of a shape; `Part` names other shapes. */
export type PlannedShape<Part> =
  | { readonly kind: ScalarKind | 'numeric' }
  | PlannedOptional<Part>
  | { readonly kind: 'list' | 'text-map'; readonly element: Part }
  | { readonly kind: 'gen-map'; readonly key: Part; readonly element: Part }
  | {
      readonly kind: 'record' | 'variant'
      readonly id: Identifier
      readonly fields: readonly { readonly name: string; readonly type: Part }[]
    }
  | { readonly kind: 'enum'; readonly id: Identifier }

/** Parts are named by their position; the first shape is that of the type itself. */
export type ValuePlan = readonly PlannedShape<number>[]

/** The plans of the values of a template or choice. */
export type ValuePlans = {
  /** Of the contract or the choice. */
  readonly argument: ValuePlan
  /** The key of a template, the result of a choice. */
  readonly other: ValuePlan | undefined
}

/** More than any template in use needs; a type may also contain ever larger ones. */
const shapesMax = 1000

/** Undefined if there are too many shapes in it, or one that no value can have. */
export function planOf(type: Type, dataTypes: DataTypes): ValuePlan | undefined {
  try {
    return plan(type, dataTypes)
  } catch (error) {
    if (error instanceof ValueError || error instanceof KindError) return undefined
    throw error
  }
}

function plan(type: Type, dataTypes: DataTypes): ValuePlan | undefined {
  const places = new Map<string, number>()
  const waiting: Type[] = []
  const shapes: PlannedShape<number>[] = []
  const placeOf = (part: Type): number => {
    const key = typeKey(part)
    let place = places.get(key)
    if (place === undefined) {
      place = places.size
      places.set(key, place)
      waiting.push(part)
    }
    return place
  }
  placeOf(type)
  for (const part of waiting) {
    if (shapes.length === shapesMax) return undefined
    shapes.push(plannedOf(shapeOf(part, dataTypes), placeOf))
  }
  return shapes
}

export function plannedOf<Part>(shape: Shape, partOf: (type: Type) => Part): PlannedShape<Part> {
  switch (shape.kind) {
    case 'optional':
      return { ...shape, element: partOf(shape.element) }
    case 'list':
    case 'text-map':
      return { kind: shape.kind, element: partOf(shape.element) }
    case 'gen-map':
      return { kind: shape.kind, key: partOf(shape.key), element: partOf(shape.element) }
    case 'record':
    case 'variant':
      return {
        kind: shape.kind,
        id: shape.type.id,
        fields: shape.fields.map(({ name, type }) => ({ name, type: partOf(type) })),
      }
    case 'enum':
      return { kind: 'enum', id: shape.type.id }
    default:
      return { kind: shape.kind }
  }
}
