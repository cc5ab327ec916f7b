// What two ledgers do not have in common, for people and for scripts.
import { valueText } from '../base/transaction-text.ts'
import type { Difference, TemplateComparison } from '../diff/comparison.ts'
import type { ComparedLedger } from '../diff/contracts-of-ledger.ts'
import type { FieldDifference } from '../diff/field-differences.ts'
import { shownFields, shownId } from './ledger-rows.ts'

type Side = { readonly place: string; readonly offset: number | undefined; readonly contracts: number }

export type DiffReport = {
  readonly isEqual: boolean
  readonly a: Side
  readonly b: Side
  readonly templates: readonly TemplateComparison[]
}

type Place = Pick<ComparedLedger, 'place' | 'offset'>

export function reportOf(a: Place, b: Place, templates: readonly TemplateComparison[]): DiffReport {
  const sum = (count: (one: TemplateComparison) => number) => templates.reduce((total, one) => total + count(one), 0)
  const both = sum(({ equal, different }) => equal + different)
  return {
    isEqual: templates.every(isEqual),
    a: { place: a.place, offset: a.offset, contracts: both + sum(({ onlyInA }) => onlyInA) },
    b: { place: b.place, offset: b.offset, contracts: both + sum(({ onlyInB }) => onlyInB) },
    templates,
  }
}

const isEqual = (one: TemplateComparison) => one.onlyInA + one.onlyInB + one.different === 0

export function renderComparison({ a, b, templates }: DiffReport, width: number | undefined): string {
  const others = templates.filter((one) => !isEqual(one))
  return [
    `A  ${sideText(a)}`,
    `B  ${sideText(b)}`,
    '',
    ...others.flatMap((one) => templateLines(one, width)),
    ...(others.length > 0 ? [''] : []),
    others.length === 0
      ? `equal: ${a.contracts} contracts of ${templates.length} templates`
      : `different: ${others.length} of ${templates.length} templates`,
  ].join('\n')
}

function sideText({ place, offset, contracts }: Side): string {
  return `${place}${offset === undefined ? '' : ` at offset ${offset}`}: ${contracts} contracts`
}

function templateLines(one: TemplateComparison, width: number | undefined): string[] {
  const counts = [
    `${one.equal} equal`,
    ...(one.onlyInA > 0 ? [`${one.onlyInA} only in A`] : []),
    ...(one.onlyInB > 0 ? [`${one.onlyInB} only in B`] : []),
    ...(one.different > 0 ? [`${one.different} different`] : []),
  ]
  const untold = one.onlyInA + one.onlyInB + one.different - one.differences.length
  return [
    `${one.template}: ${counts.join(', ')}`,
    ...one.differences
      .flatMap((difference) => differenceLines(difference, width))
      .map((line) => cut(`  ${line}`, width)),
    ...(untold > 0 ? [`  and ${untold} more; --limit shows them`] : []),
  ]
}

function differenceLines(difference: Difference, width: number | undefined): string[] {
  const id = shownId(difference.contractId, width)
  if (difference.kind !== 'different') {
    const sign = difference.kind === 'only in A' ? '-' : '+'
    return [`${sign} ${id}  ${shownFields(difference.content.createArgument)}`]
  }
  const { contractIdInB: other } = difference
  return [`~ ${id}${other === undefined ? '' : ` and ${shownId(other, width)}`}`, ...difference.fields.map(fieldLine)]
}

function fieldLine({ path, a, b }: FieldDifference): string {
  return `    ${path}: ${shown(a)} → ${shown(b)}`
}

const shown = (value: unknown) => (value === undefined ? 'nothing' : valueText(value, true))

function cut(line: string, width: number | undefined): string {
  return width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`
}
