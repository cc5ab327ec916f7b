// Times as the API writes them: UTC, with as many digits after the second as there are.

/** Below, at or above zero, exactly: a Date has no microseconds. */
export function compareTimes(one: string, other: string): number {
  const [a, b] = [normal(one), normal(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

function normal(time: string): string {
  const [seconds = '', fraction = ''] = time.replace(/Z$/, '').split('.')
  return `${seconds}.${fraction.padEnd(9, '0')}`
}
