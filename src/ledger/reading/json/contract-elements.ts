// Contract rows as created events for readers, with the witnesses, blobs and views of the request.

import { createdPieces } from '../../../events/format/event-pieces.ts'
import { createdFrame, createdIn, type Extras, noExtras } from '../../../events/json/event-json.ts'
import type { ContractRow } from '../../../store/core/contract-records.ts'
import type { Store } from '../../../store/core/store.ts'
import type { Names } from '../../model/name-numbers.ts'
import { numbersIn } from '../../model/name-numbers.ts'
import type { Matcher, TemplateRule } from '../requests/event-matcher.ts'
import { type ContractViews, wantedOf } from './contract-views.ts'
import { includesAny } from './visibility.ts'

export type SeenContract = {
  readonly row: ContractRow
  /** `#package-name:Module:Entity`. */
  readonly template: string
  readonly witnesses: readonly string[]
  readonly rule: TemplateRule
  readonly extras: Extras
}

type Parts = { readonly store: Store; readonly names: Names; readonly contractViews: ContractViews }

/** Keeps contracts that a reader sees as stakeholder. */
export async function seeContracts(
  { store, names, contractViews }: Parts,
  rows: readonly ContractRow[],
  matcher: Matcher,
): Promise<SeenContract[]> {
  const texts = await names.texts(
    [...new Set(rows.flatMap((row) => [row.template, ...numbersIn(row.stakeholders)]))],
    store.names,
  )
  const { requesting, isPlain } = matcher
  const seen = rows.flatMap((row) => {
    const stakeholders = numbersIn(row.stakeholders).map((number) => texts.get(number)!)
    const witnesses = requesting === 'everybody' ? stakeholders : stakeholders.filter((party) => requesting.has(party))
    const template = texts.get(row.template)!
    const rule = matcher.ruleFor(template)
    if (witnesses.length === 0 || !(isPlain || includesAny(rule.seenBy, witnesses))) return []
    const wanted = matcher.wantsContracts ? wantedOf(row.contractId, rule, witnesses) : undefined
    return [{ row, template, witnesses, rule, wanted }]
  })
  const wanted = seen.flatMap((contract) => contract.wanted ?? [])
  const ids = wanted.map(({ contractId }) => contractId)
  const extras = wanted.length === 0 ? undefined : await contractViews.show(wanted, await store.contracts.blobsOf(ids))
  return seen.map(({ row, template, witnesses, rule }) => ({
    row,
    template,
    witnesses,
    rule,
    extras: extras?.get(row.contractId) ?? noExtras,
  }))
}

/** `CreatedEvent`, at the place of the creation or the assignment. */
export function createdEventJson(
  { row, witnesses, extras }: SeenContract,
  { offset, nodeId }: { readonly offset: bigint; readonly nodeId: number },
  isDelta: boolean,
): string {
  const frame = createdFrame({ nodeId, witnesses }, isDelta)
  return createdIn(frame, { offset: String(offset), pieces: createdPieces(row), extras }).join('')
}
