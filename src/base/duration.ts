// Durations as people write them, 90s, 15m, 1h, 30d, and as machines do: PT1H30M (ISO 8601).

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds; undefined if the text is no duration, or zero. */
export function durationFromText(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (digits === undefined || Number(digits) === 0) return undefined
  return Number(digits) * unitMs[unit!]!
}

/** Without years and months, whose length depends on the calendar. */
const isoPattern =
  /^P(?=.)(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?=.)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,12})(?:\.(\d{1,3}))?S)?)?$/

/** In either form. */
export function anyDurationFromText(text: string): number | undefined {
  const found = isoPattern.exec(text)
  if (found === null) return durationFromText(text)
  const [weeks, days, hours, minutes, seconds, fraction] = found.slice(1, 7).map((digits) => digits ?? '0')
  const dayCount = Number(weeks) * 7 + Number(days)
  const ms =
    dayCount * unitMs.d! + Number(hours) * unitMs.h! + Number(minutes) * unitMs.m! + Number(seconds) * unitMs.s!
  return ms + Number(fraction!.padEnd(3, '0')) || undefined
}
