// The ledger that a store follows: what it shows to the user of the token, and whether it is still the ledger that the
// store was filled from.
import { StartError } from '../base/errors.ts'
import { type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'
import { readableParties } from '../ledger-client/readable-parties.ts'
import { everything, type NameFilter } from './name-filter.ts'
import type { LastTransaction, Source } from './store.ts'

/** The store has something else than what should follow: another ledger, other parties, another kind of data, or a gap. */
export class StoreMismatch extends StartError {}

export type Ends = { readonly end: number; readonly pruned: number }

export async function participantIdOf(ledger: LedgerClient): Promise<string> {
  return (await ledger.get<{ participantId: string }>('/v2/parties/participant-id')).participantId
}

export async function endsOf(ledger: LedgerClient): Promise<Ends> {
  const [{ offset }, { participantPrunedUpToInclusive }] = await Promise.all([
    ledger.get<{ offset: number }>('/v2/state/ledger-end'),
    ledger.get<{ participantPrunedUpToInclusive?: number }>('/v2/state/latest-pruned-offsets'),
  ])
  return { end: offset, pruned: participantPrunedUpToInclusive ?? 0 }
}

/** Named parties; those of the parties that the user of the token may read as that a filter selects; or any. */
export type WantedParties = readonly string[] | NameFilter | 'any'

/** Undefined for any party. */
export async function partiesToRead(
  wanted: WantedParties,
  ledger: LedgerClient,
): Promise<readonly string[] | undefined> {
  if (wanted === 'any') return undefined
  if (!('selects' in wanted)) return wanted
  const readable = await readableParties(ledger)
  if (wanted.text === everything.text) return readable
  const parties = (readable ?? (await hostedParties(ledger))).filter((party) => wanted.selects([party]))
  if (parties.length > 0) return parties.sort()
  throw new StartError(`the filter ${wanted.text} selects no party that may be read at ${ledger.place}`)
}

type PartyPage = {
  readonly partyDetails: readonly { readonly party: string; readonly isLocal: boolean }[]
  readonly nextPageToken?: string
}

async function hostedParties(ledger: LedgerClient): Promise<string[]> {
  const parties: string[] = []
  let token = ''
  do {
    const page = await ledger.get<PartyPage>(`/v2/parties?pageToken=${encodeURIComponent(token)}`).catch((error) => {
      if (!(error instanceof LedgerRefusal) || error.status !== 403) throw error
      throw new StartError(
        `a filter of parties needs to know them: ${error.message}; grant it, or CanReadAs for each party, or name them with --party`,
      )
    })
    parties.push(...page.partyDetails.flatMap(({ party, isLocal }) => (isLocal ? [party] : [])))
    token = page.nextPageToken ?? ''
  } while (token !== '')
  return parties
}

/**
 * The store goes on only with the ledger and the kind of data that it has. Returns whether it has to be widened: the user of
 * the token may read as more parties than before.
 */
export function checkSource(kept: Source, wanted: Source, schema: string): boolean {
  const begin = `fill another schema (--schema), or drop schema ${schema} and begin anew`
  if (kept.participantId !== wanted.participantId) {
    throw new StoreMismatch(
      `the store was filled from participant ${kept.participantId}, and this is ${wanted.participantId}; ${begin}`,
    )
  }
  if (kept.dataSource !== wanted.dataSource) {
    throw new StoreMismatch(`the store was filled from ${kept.dataSource}, not ${wanted.dataSource}; ${begin}`)
  }
  if (kept.contracts !== wanted.contracts) {
    throw new StoreMismatch(`the store has the contracts of ${kept.contracts}, not ${wanted.contracts}; ${begin}`)
  }
  const isWider =
    kept.parties !== undefined &&
    (wanted.parties === undefined || kept.parties.every((party) => wanted.parties!.includes(party)))
  if (!isWider && kept.parties !== wanted.parties) {
    const shown = (parties: Source['parties']) => parties?.join(', ') ?? 'any party'
    throw new StoreMismatch(`the store has what ${shown(kept.parties)} can see, not ${shown(wanted.parties)}; ${begin}`)
  }
  return isWider && kept.parties?.length !== wanted.parties?.length
}

type Continuing = { readonly offset: number; readonly last: LastTransaction | undefined; readonly eventFormat: object }

/** Throws if the ledger was pruned beyond the store, or is another one than before: reset, restored or replaced. */
export async function checkContinues(ledger: LedgerClient, ends: Ends, { offset, last, eventFormat }: Continuing) {
  const begin = 'fill an empty schema from it (--schema), or give the ledger that the store belongs to'
  if (ends.end < offset) {
    throw new StoreMismatch(
      `the ledger at ${ledger.place} ends at offset ${ends.end}, and the store is at ${offset}: it was reset, restored or replaced; ${begin}`,
    )
  }
  if (ends.pruned > offset) {
    throw new StoreMismatch(
      `the ledger at ${ledger.place} is pruned up to offset ${ends.pruned}, and the store is at ${offset}: updates between are gone; ${begin}`,
    )
  }
  if (last === undefined || last.offset <= ends.pruned) return
  const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
  const updateFormat = { includeTransactions, includeReassignments: eventFormat }
  const found = await ledger
    .post<{ update: Record<string, { value: { updateId?: string } }> }>('/v2/updates/update-by-offset', {
      ...{ offset: last.offset, updateFormat },
    })
    .catch((error) => {
      if (error instanceof LedgerRefusal && (error.status === 404 || /NOT_FOUND/.test(error.code ?? '')))
        return undefined
      throw error
    })
  const [update] = Object.values(found?.update ?? {})
  if (update?.value.updateId === last.transactionId) return
  throw new StoreMismatch(
    `the ledger at ${ledger.place} has another update at offset ${last.offset} than the store: it was reset, restored or replaced; ${begin}`,
  )
}
