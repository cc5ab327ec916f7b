// The results of a run, as a table for people.
import type { Campaign, Failure, FailureKind, Outcome } from './campaign.ts'

export type Finished = { readonly campaign: Campaign; readonly outcome: Outcome; readonly seconds: number }

const columns = ['campaign', 'attacks', 'lost', 'leaked', 'delayed', 'broken', 'max delay', 'seconds'] as const
const nameWidth = 34
const width = 12

export function tableHead(): string {
  return line([...columns])
}

export function tableRow({ campaign, outcome, seconds }: Finished): string {
  const count = (kind: FailureKind) => String(outcome.failures.filter((failure) => failure.kind === kind).length)
  const delay = outcome.delayMs === undefined ? '-' : `${Math.round(outcome.delayMs)} ms`
  const figures = [
    ...[campaign.name, `${outcome.times} ${campaign.unit}`],
    ...[count('lost'), count('leaked'), count('delayed'), count('broken'), delay, seconds.toFixed(0)],
  ]
  const rows = (outcome.rows ?? []).map((row) => `\n  ${row}`).join('')
  return line(figures) + (outcome.note === undefined ? '' : `  ${outcome.note}`) + rows
}

function line([name = '', attacks = '', ...rest]: readonly string[]): string {
  const cells = rest.map((text) => text.padStart(width - 2))
  return `${name.padEnd(nameWidth)}${attacks.padStart(width + 6)}${cells.join('')}`
}

/** Each failure with the command that repeats it. */
export function failureText({ name }: Campaign, { kind, seed, times, what }: Failure): string {
  const again = `npm run attack -- '${name}' --seed ${seed} --times ${times}`
  return `${kind}: ${name}\n  repeat: ${again}\n  ${what.replaceAll('\n', '\n  ')}\n`
}

export function summary(finished: readonly Finished[]): string {
  const failures = finished.flatMap(({ outcome }) => outcome.failures)
  const count = (kind: FailureKind) => failures.filter((failure) => failure.kind === kind).length
  const delays = finished.flatMap(({ outcome: { delayMs } }) => (delayMs === undefined ? [] : [delayMs]))
  const longest = delays.length === 0 ? 'not measured' : `${Math.round(Math.max(...delays))} ms`
  const counts = (['lost', 'leaked', 'delayed', 'broken'] as const).map((kind) => `${count(kind)} ${kind}`).join(', ')
  return `${finished.length} campaigns: ${counts}; longest delay of others ${longest}`
}
