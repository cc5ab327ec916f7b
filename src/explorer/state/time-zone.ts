// In which time zone times are shown: that of the reader, or UTC as the API has them.
import { computed, signal } from '@preact/signals'

const storageKey = 'tallystick-time-zone'
export const isUtc = signal(localStorage.getItem(storageKey) === 'utc')

const local = Intl.DateTimeFormat().resolvedOptions().timeZone

export const zoneName = computed(() => (isUtc.value ? 'UTC' : local))

export function toggleZone(): void {
  isUtc.value = !isUtc.value
  if (isUtc.value) localStorage.setItem(storageKey, 'utc')
  else localStorage.removeItem(storageKey)
}

const formatter = computed(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      hour12: false,
      timeZone: isUtc.value ? 'UTC' : local,
      timeZoneName: 'shortOffset',
    }),
)

export type TimeText = { readonly date: string; readonly time: string; readonly zone: string }

/** Undefined for a text that is no time. */
export function timeText(iso: string): TimeText | undefined {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return undefined
  const parts = new Map(formatter.value.formatToParts(date).map(({ type, value }) => [type, value]))
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? ''
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}.${part('fractionalSecond')}`,
    zone: part('timeZoneName').replace('GMT', 'UTC'),
  }
}

/** Of this moment: what a list of times leaves out of each of them, because its head says it. */
export const nowText = (): TimeText => timeText(new Date().toISOString())!

/** When something was that is not long ago: 14:03, Tuesday 14:03, or 2026-11-17 14:03. */
export function sinceText(atMs: number): string {
  const { date, time } = timeText(new Date(atMs).toISOString())!
  const clock = time.slice(0, 5)
  if (date === nowText().date) return clock
  const days = (Date.now() - atMs) / 86_400_000
  if (days > 6) return `${date} ${clock}`
  return `${new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: zoneName.value }).format(atMs)} ${clock}`
}

/** As a field for dates and times has it: without a zone, to the second. Empty for a text that is no time. */
export function fieldTextOf(iso: string): string {
  const text = timeText(iso)
  return text === undefined ? '' : `${text.date}T${text.time.slice(0, 8)}`
}

/** What was typed into such a field, as the API writes times. Empty as long as it is no time. */
export function timeFromField(text: string): string {
  const date = new Date(isUtc.value && text !== '' ? `${text}Z` : text)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
