// Sizes and counts in words.
const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** With two or three digits that mean something: 1.2 MB, 340 kB. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}

/** 1 contract, 2,000 contracts. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`
}
