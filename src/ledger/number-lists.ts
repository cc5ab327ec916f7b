// Numbers of names as rows keep them: between commas, ",3,17,", so that one is found by looking for ",3,".

export function listed(numbers: Iterable<bigint>): string {
  return `,${[...numbers].join(',')},`
}

export function numbersIn(list: string): bigint[] {
  return list.split(',').flatMap((text) => (text === '' ? [] : [BigInt(text)]))
}
