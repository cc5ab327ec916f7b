// Random types and data types. All are serializable, and all can be compared.
import type { DataType, Type } from '../../../src/lf/syntax/ast.ts'
import { enumeration, preludeData, record, variant } from './prelude.ts'
import type { Random } from './random.ts'
import { types } from './syntax.ts'

export type DataTypes = ReadonlyMap<string, DataType>

const { unit, bool, int64, text, date, timestamp, party } = types
const scales = [0, 1, 2, 6, 10, 18, 19, 36, 37]

export function randomScale(random: Random): number {
  return random.chance(0.5) ? random.pick(scales) : random.below(38)
}

export function scalar(random: Random): Type {
  return random.weighted<() => Type>([
    [4, () => int64],
    [4, () => text],
    [4, () => types.numeric(randomScale(random))],
    [2, () => bool],
    [1, () => unit],
    [2, () => date],
    [2, () => timestamp],
    [1, () => party],
  ])()
}

/** A type with at most so many levels, made of the data types that are known. */
export function randomType(random: Random, data: DataTypes, levels: number, variables: readonly Type[] = []): Type {
  const inner = (): Type => randomType(random, data, levels - 1, variables)
  if (variables.length > 0 && random.chance(0.3)) return random.pick(variables)
  if (levels <= 0) return scalar(random)
  return random.weighted<() => Type>([
    [5, () => scalar(random)],
    [2, () => types.list(inner())],
    [2, () => types.optional(inner())],
    [1, () => types.textMap(inner())],
    [1, () => types.genMap(inner(), inner())],
    [
      4,
      () => {
        const { name, parameters } = random.pick([...data.values()])
        return types.data(name, ...parameters.map(() => notOptional(inner)))
      },
    ],
  ])()
}

/** The JSON of an Optional of a parameter that stands for an Optional differs, on purpose (COMPAT.md). */
function notOptional(make: () => Type): Type {
  const type = make()
  return type.kind === 'builtin' && type.name === 'Optional' ? notOptional(make) : type
}

/** Fields with names that JavaScript knows, too. */
const fieldNames = ['a', 'b', 'zz', 'value', 'constructor', '__proto__', 'toString', 'length', 'x$1']
const tags = ['A', 'B', 'Some', 'None', 'Left', 'Constructor', 'Z9', 'Nil']

/** The data types of the prelude and some more. */
export function randomData(random: Random, count: number): DataTypes {
  const data = new Map(preludeData.map((each) => [each.name, each]))
  for (let index = 0; index < count; index++) {
    const made = oneOf(random, data, `D${index}`)
    data.set(made.name, made)
  }
  return data
}

function oneOf(random: Random, data: DataTypes, name: string): DataType {
  const parameters = random.pick([[], [], ['a'], ['a', 'b'], ['b', 'a']])
  const variables = parameters.map(types.variable)
  const fields = (names: readonly string[], most: number, least: number): [string, Type][] => {
    const chosen = random.shuffled(names).slice(0, least + random.below(most - least + 1))
    return chosen.map((field) => [field, randomType(random, data, 2, variables)])
  }
  return random.weighted<() => DataType>([
    [4, () => record(name, parameters, fields(fieldNames, 5, 0))],
    [3, () => variant(name, parameters, fields(tags, 4, 1))],
    [1, () => enumeration(name, random.shuffled(tags).slice(0, 1 + random.below(6)))],
  ])()
}
