// Durations as text, in the format of java.time and in that of Canton's messages. Durations are microseconds.

/** As java.time writes it: PT168H, PT1M30S, PT0.5S. */
export function durationText(micros: bigint): string {
  if (micros === 0n) return 'PT0S'
  const [minute, hour] = [60_000_000n, 3_600_000_000n]
  const hours = micros / hour
  const minutes = (micros % hour) / minute
  const rest = micros % minute
  const fraction = (rest % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  const seconds = rest === 0n ? '' : `${rest / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}S`
  return `PT${hours === 0n ? '' : `${hours}H`}${minutes === 0n ? '' : `${minutes}M`}${seconds}`
}

/** As Canton's messages show it: 1m, 24h, 1m 30s. */
export function shownDuration(micros: bigint): string {
  return durationText(micros)
    .slice('PT'.length)
    .replaceAll(/(\d[HMS])(?!$)/g, '$1 ')
    .toLowerCase()
}
