// The building blocks of cases. test/differential/README.md explains the recorded form.

export type Value = { [kind: string]: unknown }
export type Case = { [field: string]: unknown }
export type Cases = { dars: string[]; cases: Case[]; [setting: string]: unknown }

export const unit: Value = { unit: true }
export const bool = (value: boolean): Value => ({ bool: value })
export const int64 = (value: bigint | number): Value => ({ int64: String(value) })
/** The number of digits after the point is the scale. */
export const numeric = (value: string): Value => ({ numeric: value })
export const text = (value: string): Value => ({ text: value })
export const party = (value: string): Value => ({ party: value })
export const date = (value: string): Value => ({ date: value })
export const timestamp = (microseconds: bigint): Value => ({ timestamp: String(microseconds) })
export const contractId = (value: string): Value => ({ contractId: value })
export const none: Value = { none: true }
export const some = (value: Value): Value => ({ some: value })
export const list = (...items: Value[]): Value => ({ list: items })
export const textMap = (...entries: [string, Value][]): Value => ({ textMap: entries })
export const genMap = (...entries: [Value, Value][]): Value => ({ genMap: entries })
export const record = (...fields: Value[]): Value => ({ record: fields })
export const labelled = (...fields: [string, Value][]): Value => ({ labelled: fields })
export const variant = (tag: string, value: Value): Value => ({ variant: [tag, value] })
export const enumeration = (tag: string): Value => ({ enum: tag })

/** Cases that apply values of one package: `inPackage('builtins-lf21')('Int64:add', int64(1), int64(2))`. */
export const inPackage =
  (name: string) =>
  (value: string, ...args: Value[]): Case => ({ evaluate: `#${name}:${value}`, arguments: args })

/** Every value with every value. */
export const pairs = <A>(values: A[]): [A, A][] => values.flatMap((a) => values.map((b): [A, A] => [a, b]))

/** A full contract id in Canton's form, different for every number. */
export const id = (number: number): string => {
  const hex = number.toString(16).padStart(64, '0')
  return `00${hex}ca121220${hex}`
}

export const settings = {
  time: '2026-01-01T00:00:00Z',
  seed: '5eed'.repeat(16),
  participant: 'participant',
  mode: 'NUCK',
}
