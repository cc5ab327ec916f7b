// Lists of name numbers as rows store them: between commas, ",3,17,", so that a search for ",3," finds one.

export function listed(numbers: Iterable<bigint>): string {
  return `,${[...numbers].join(',')},`
}

export function numbersIn(list: string): bigint[] {
  return list.split(',').flatMap((text) => (text === '' ? [] : [BigInt(text)]))
}
