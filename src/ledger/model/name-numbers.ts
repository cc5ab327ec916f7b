// Numbers for names that repeat in every row: parties and templates. A name gets its number in the first commit that
// has it and keeps it; the most recent ones are cached.
import type { NameRecords } from '../../store/core/ledger-records.ts'

export type Names = {
  /** Leaves out names that occur in no update. */
  numbers(names: readonly string[], records: NameRecords): Promise<Map<string, bigint>>
  texts(numbers: readonly bigint[], records: NameRecords): Promise<Map<bigint, string>>
  /** Caches a name that a commit has added. */
  learn(name: string, number: bigint): void
}

export function createNames(entriesMax: number): Names {
  const numbers = new Map<string, bigint>()
  const texts = new Map<bigint, string>()

  function learn(name: string, number: bigint): void {
    numbers.set(name, number)
    texts.set(number, name)
    if (numbers.size <= entriesMax) return
    const [oldest, oldestNumber] = numbers.entries().next().value!
    numbers.delete(oldest)
    texts.delete(oldestNumber)
  }

  return {
    learn,
    async numbers(names, records) {
      const unknown = names.filter((name) => !numbers.has(name))
      const found = new Map(names.flatMap((name) => (numbers.has(name) ? [[name, numbers.get(name)!]] : [])))
      if (unknown.length === 0) return found
      for (const [name, number] of await records.numbers(unknown)) {
        learn(name, number)
        found.set(name, number)
      }
      return found
    },
    async texts(wanted, records) {
      const unknown = wanted.filter((number) => !texts.has(number))
      const found = new Map(wanted.flatMap((number) => (texts.has(number) ? [[number, texts.get(number)!]] : [])))
      if (unknown.length === 0) return found
      for (const [number, name] of await records.names(unknown)) {
        learn(name, number)
        found.set(number, name)
      }
      return found
    },
  }
}

/** A list as rows store it: between commas, ",3,17,", so that a search for ",3," finds one. */
export function listed(numbers: Iterable<bigint>): string {
  return `,${[...numbers].join(',')},`
}

export function numbersIn(list: string): bigint[] {
  return list.split(',').flatMap((text) => (text === '' ? [] : [BigInt(text)]))
}
