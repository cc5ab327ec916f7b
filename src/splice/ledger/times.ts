// Times with microseconds, which the ledger has and JavaScript's dates do not.

/** Microseconds since 1970 of an ISO-8601 time; undefined for a text that is none. */
export function microsFrom(text: unknown): number | undefined {
  const [, whole, fraction = '', zone] = timePattern.exec(String(text)) ?? []
  const ms = Date.parse(`${whole}${zone}`)
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

/** Always with six digits after the point, as Splice writes record times. */
export function timeText(micros: number): string {
  const ms = Math.floor(micros / 1_000_000) * 1000
  return `${new Date(ms).toISOString().slice(0, 19)}.${String(micros - ms * 1000).padStart(6, '0')}Z`
}
