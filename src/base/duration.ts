// Durations as people write them: 90s, 15m, 1h, 30d.

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds; undefined if the text is no duration, or zero. */
export function durationFromText(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (digits === undefined || Number(digits) === 0) return undefined
  return Number(digits) * unitMs[unit!]!
}
