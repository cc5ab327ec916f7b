// What a rehearsal found, for people and for scripts.
import type { DarAccount } from '../lf/upgrading/account.ts'
import type { TemplateOutcome } from '../rehearsal/problems.ts'
import type { Outcome, Rehearsal } from '../rehearsal/rehearsal.ts'

export type RehearsalReport = Rehearsal & {
  readonly package: { readonly name: string; readonly version: string; readonly packageId: string }
  /** The participant and its offset. */
  readonly forkOf: string
  /** Of a DAR that was refused. */
  readonly account: DarAccount | undefined
}

export function breaks({ refusal, templates, views, scripts, commands }: Rehearsal): boolean {
  const isBroken = [...templates, ...views].some(({ broken }) => broken > 0)
  return refusal !== undefined || isBroken || [...scripts, ...commands].some(({ failure }) => failure !== undefined)
}

export function renderRehearsal(report: RehearsalReport): string {
  const { name, version, packageId } = report.package
  return [
    `${name} ${version}  ${packageId}`,
    `on a fork of ${report.forkOf}`,
    '',
    ...uploadLines(report),
    ...section('contracts, read through the new version', report.templates.flatMap(templateLines)),
    ...section('views of interfaces', report.views.filter(({ broken }) => broken > 0).flatMap(templateLines)),
    ...section('scripts', report.scripts.flatMap(outcomeLines)),
    ...section('commands', report.commands.flatMap(outcomeLines)),
    '',
    breaks(report) ? 'something breaks' : 'nothing breaks',
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function uploadLines({ refusal, account }: RehearsalReport): string[] {
  if (refusal === undefined) return ['upload: accepted beside what is vetted']
  const problems = account?.problems.map(({ message }) => message) ?? []
  const broken = (account?.upgrades ?? []).flatMap(({ past, breaks: list }) =>
    list.flatMap(({ module, subject, changes }) => {
      const place = module === undefined ? subject : `${module}: ${subject}`
      return changes.map((change) => `against ${past.version}: ${place}: ${change}`)
    }),
  )
  return [`upload: refused: ${refusal}`, ...[...problems, ...broken].map((line) => `  ${line}`)]
}

function templateLines({ template, contracts, broken, problems }: TemplateOutcome): string[] {
  return [
    `${template}: ${contracts} contracts${broken === 0 ? '' : `, ${broken} broken`}`,
    ...problems.flatMap(({ message, contracts: count, examples }) => [
      `  ${count}: ${message.replaceAll('\n', '\n  ')}`,
      ...examples.map((id) => `    ${id}`),
    ]),
  ]
}

function outcomeLines({ name, failure }: Outcome): string[] {
  if (failure === undefined) return [`${name}: succeeded`]
  return [`${name}: failed`, ...failure.split('\n').map((line) => `  ${line}`)]
}
