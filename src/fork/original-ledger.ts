// The original of a fork, read through the JSON Ledger API of any participant. The client can only read.

import type { Original, OriginalContract, OriginalVetting } from '../ledger/fork/original.ts'
import { type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'
import { offsetToRead } from '../ledger-client/offset-to-read.ts'
import { checkHosted, readableParties } from '../ledger-client/readable-parties.ts'
import { instantFromText } from '../lf/codec/time-text.ts'
import { type CreatedEvent, contractOf, elementOf } from './original-contract.ts'

export type ForkRequest = {
  /** Undefined for all that the token may read. */
  readonly parties: readonly string[] | undefined
  /** Undefined for the end of the ledger. */
  readonly at: number | undefined
}

type Page<Key extends string, T> = { readonly [key in Key]?: readonly T[] } & { readonly nextPageToken?: string }
type VettedPackage = {
  readonly packageId: string
  readonly validFromInclusive?: string | null
  readonly validUntilExclusive?: string | null
}
type Vetted = {
  readonly participantId: string
  readonly synchronizerId: string
  readonly packages: readonly VettedPackage[]
}
type Element = {
  readonly workflowId?: string
  readonly contractEntry: {
    readonly JsActiveContract?: {
      readonly createdEvent: CreatedEvent
      readonly synchronizerId: string
      readonly reassignmentCounter: number
    }
  }
}

const pageSize = 1_000

/** Throws a StartError about what the participant does not have, or does not show to this token. */
export async function openOriginal(client: LedgerClient, { parties: wanted, at }: ForkRequest): Promise<Original> {
  const { participantId } = await client.get<{ participantId: string }>('/v2/parties/participant-id')
  const offset = await offsetToRead(client, at, 'forked')
  const connected = await client.get<{
    connectedSynchronizers?: { synchronizerAlias: string; synchronizerId: string }[]
  }>('/v2/state/connected-synchronizers')
  const readable = wanted ?? (await readableParties(client))
  await checkHosted(wanted ?? [], client)
  const synchronizers = (connected.connectedSynchronizers ?? []).map((one) => {
    return { alias: one.synchronizerAlias, id: one.synchronizerId }
  })
  return {
    from: client.place,
    participantId,
    offset,
    parties: readable,
    synchronizers,
    knownParties: () => knownParties(client, readable),
    packageIds: async () => (await client.get<{ packageIds: readonly string[] }>('/v2/packages')).packageIds,
    packagePayload: (id) => client.bytes(`/v2/packages/${id}`),
    vettings: () => vettingsOf(client, participantId),
    contracts: () => contractsOf(client, offset, readable),
  }
}

/** Only an administrator may list all of them. The stakeholders of contracts become known with their contracts. */
async function knownParties(client: LedgerClient, readable: readonly string[] | undefined): Promise<readonly string[]> {
  try {
    return await allParties(client)
  } catch (error) {
    if (error instanceof LedgerRefusal && error.status === 403) return readable ?? []
    throw error
  }
}

async function allParties(client: LedgerClient): Promise<readonly string[]> {
  const parties: string[] = []
  for (let pageToken = ''; ; ) {
    const page = await client.get<Page<'partyDetails', { party: string }>>(
      `/v2/parties?pageSize=${pageSize}&pageToken=${encodeURIComponent(pageToken)}`,
    )
    parties.push(...(page.partyDetails ?? []).map(({ party }) => party))
    pageToken = page.nextPageToken ?? ''
    if (pageToken === '') return parties
  }
}

/** What the participant itself has vetted. */
export async function vettingsOf(client: LedgerClient, participantId: string): Promise<readonly OriginalVetting[]> {
  const vettings: OriginalVetting[] = []
  for (let pageToken = ''; ; ) {
    const page = await client.post<Page<'vettedPackages', Vetted>>('/v2/package-vetting/list', {
      topologyStateFilter: { participantIds: [participantId], synchronizerIds: [] },
      pageToken,
      pageSize: 0,
    })
    for (const { synchronizerId, packages } of page.vettedPackages ?? []) {
      vettings.push({
        synchronizerId,
        packages: packages.map(({ packageId, validFromInclusive, validUntilExclusive }) => ({
          packageId,
          validFrom: microsOf(validFromInclusive),
          validUntil: microsOf(validUntilExclusive),
        })),
      })
    }
    pageToken = page.nextPageToken ?? ''
    if (pageToken === '') return vettings
  }
}

function microsOf(time: string | null | undefined): bigint | undefined {
  return time === undefined || time === null ? undefined : BigInt(instantFromText(time) ?? 0)
}

async function* contractsOf(
  client: LedgerClient,
  activeAtOffset: number,
  parties: readonly string[] | undefined,
): AsyncIterable<OriginalContract | 'in transit'> {
  const request = { activeAtOffset, eventFormat: eventFormatFor(parties) }
  for await (const text of client.texts('/v2/state/active-contracts', request, new AbortController().signal)) {
    yield contractFrom(text)
  }
}

function contractFrom(text: string): OriginalContract | 'in transit' {
  const { element, textOf } = elementOf<Element>(text)
  const active = element.contractEntry.JsActiveContract
  if (active === undefined) return 'in transit'
  return contractOf(active.createdEvent, { ...active, workflowId: element.workflowId ?? '' }, textOf)
}

/** With the bytes of contracts; undefined parties stand for any. */
export function eventFormatFor(parties: readonly string[] | undefined): object {
  const filter = {
    cumulative: [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }],
  }
  return parties === undefined
    ? { filtersByParty: {}, filtersForAnyParty: filter, verbose: true }
    : { filtersByParty: Object.fromEntries(parties.map((party) => [party, filter])), verbose: true }
}
