// A party's transactions, the newest first. The participant skips what has no event of the templates, so that the cost of the
// first pages does not depend on the length of the ledger.
import { type Json, type Participant, ParticipantRefusal } from './participant.ts'

export type BackwardsQuery = {
  readonly party: string
  /** Only events of these templates; the others are missing in the transactions. */
  readonly templates: readonly string[]
  /** From this offset on; the end by default. */
  readonly upTo?: number | undefined
  /** How many transactions are read at a time. */
  readonly pageSize: number
}

export async function* transactionsBackwards(
  participant: Participant,
  { party, templates, upTo, pageSize }: BackwardsQuery,
): AsyncGenerator<Json> {
  let pageToken: string | undefined
  do {
    const page = await participant.call('POST', '/v2/updates/get-updates-page', {
      updateFormat: formatOf(party, templates),
      descendingOrder: true,
      maxPageSize: pageSize,
      ...(upTo !== undefined && { endOffsetInclusive: upTo }),
      ...(pageToken !== undefined && { pageToken }),
    })
    for (const { update } of page.updates) {
      const transaction = update.Transaction?.value
      if (transaction !== undefined) yield transaction
    }
    pageToken = page.nextPageToken ?? undefined
  } while (pageToken !== undefined)
}

/** Undefined if the party does not see such an update. */
export async function offsetOfUpdate(
  participant: Participant,
  updateId: string,
  { party, templates }: Pick<BackwardsQuery, 'party' | 'templates'>,
): Promise<number | undefined> {
  try {
    const updateFormat = formatOf(party, templates)
    const { update } = await participant.call('POST', '/v2/updates/update-by-id', { updateId, updateFormat })
    return update.Transaction?.value.offset
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status < 500) return undefined
    throw error
  }
}

function formatOf(party: string, templates: readonly string[]): object {
  const cumulative = templates.map((templateId) => ({
    identifierFilter: { TemplateFilter: { value: { templateId } } },
  }))
  const eventFormat = { filtersByParty: { [party]: { cumulative } }, verbose: false }
  return { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' } }
}
