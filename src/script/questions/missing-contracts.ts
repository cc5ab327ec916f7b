// Why a contract was not found, where a script may read everything: it is archived, hidden, or was never there.
import type { LfValue } from '../../lf/values/values.ts'
import { type ErrorBody, type Json, Refused } from '../participants.ts'
import { identifierIn } from '../script-values.ts'
import type { Asking } from './question.ts'

type Readers = { readonly actAs: readonly string[]; readonly readAs: readonly string[] }

/** A ContractNotFoundAdditionalInfo; undefined if nothing is known. */
export async function missingContract(
  { code = '', resources }: ErrorBody,
  { actAs, readAs }: Readers,
  { values, participants, seesAll }: Asking,
): Promise<LfValue | undefined> {
  const contractId = resources.find(([kind]) => kind === 'CONTRACT_ID')?.[1]
  if (!seesAll || contractId === undefined || !/^CONTRACT_NOT_(FOUND|ACTIVE)$/.test(code)) return undefined
  const info = values.ofLibrary('Questions.Submit.Error', 'ContractNotFoundAdditionalInfo')
  const events = await eventsOf(contractId, participants.of(actAs).call)
  const created = events?.created?.createdEvent
  if (created === undefined) return values.variant(info, 'NotFound')
  const id = values.anyContractId(identifierIn(created.templateId), contractId)
  if (events.archived) return values.variant(info, 'NotActive', [['additionalInfoCid', id]])
  return values.variant(info, 'NotVisible', [
    ['additionalInfoCid', id],
    ['actAs', values.list(actAs)],
    ['readAs', values.list(readAs)],
    ['observers', values.list([...new Set([...created.signatories, ...created.observers])])],
  ])
}

async function eventsOf(contractId: string, call: (method: 'POST', path: string, body: object) => Promise<Json>) {
  const filter = { identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }
  const eventFormat = { filtersByParty: {}, filtersForAnyParty: { cumulative: [filter] }, verbose: false }
  try {
    return await call('POST', '/v2/events/events-by-contract-id', { contractId, eventFormat })
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}
