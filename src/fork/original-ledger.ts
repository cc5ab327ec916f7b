// The original of a fork, read through the JSON Ledger API of any participant. The client can only read.

import { StartError } from '../base/errors.ts'
import { JsonScan, placeOf } from '../base/exact-json.ts'
import type { Original, OriginalContract, OriginalVetting } from '../ledger/fork/original.ts'
import { type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'
import { checkHosted, readableParties } from '../ledger-client/readable-parties.ts'
import { instantFromText } from '../lf/codec/time-text.ts'

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
  readonly contractEntry: {
    readonly JsActiveContract?: {
      readonly createdEvent: Omit<OriginalContract, 'createArgument' | 'contractKey' | 'blob'> & {
        readonly createArgument: unknown
        readonly contractKey?: unknown
        readonly createdEventBlob: string
      }
      readonly synchronizerId: string
      readonly reassignmentCounter: number
    }
  }
}

const pageSize = 1_000

/** Throws a StartError about what the participant does not have, or does not show to this token. */
export async function openOriginal(client: LedgerClient, { parties: wanted, at }: ForkRequest): Promise<Original> {
  const { participantId } = await client.get<{ participantId: string }>('/v2/parties/participant-id')
  const [{ offset: end }, pruned, connected] = await Promise.all([
    client.get<{ offset: number }>('/v2/state/ledger-end'),
    client.get<{ participantPrunedUpToInclusive?: number }>('/v2/state/latest-pruned-offsets'),
    client.get<{ connectedSynchronizers?: { synchronizerAlias: string; synchronizerId: string }[] }>(
      '/v2/state/connected-synchronizers',
    ),
  ])
  const offset = at ?? end
  checkOffset(offset, end, pruned.participantPrunedUpToInclusive ?? 0, client.place)
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

function checkOffset(offset: number, end: number, pruned: number, place: string): void {
  if (offset > end) throw new StartError(`${place} ends at offset ${end}; it cannot be forked at ${offset}`)
  if (offset < pruned) {
    throw new StartError(`${place} is pruned up to offset ${pruned}; fork it there or later, not at ${offset}`)
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
async function vettingsOf(client: LedgerClient, participantId: string): Promise<readonly OriginalVetting[]> {
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
  const filter = {
    cumulative: [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: true } } } }],
  }
  const eventFormat =
    parties === undefined
      ? { filtersByParty: {}, filtersForAnyParty: filter, verbose: true }
      : { filtersByParty: Object.fromEntries(parties.map((party) => [party, filter])), verbose: true }
  const request = { activeAtOffset, eventFormat }
  for await (const text of client.texts('/v2/state/active-contracts', request, new AbortController().signal)) {
    yield contractFrom(text)
  }
}

/** Values stay the text that they are: parsing them would change the order of some of their fields. */
function contractFrom(text: string): OriginalContract | 'in transit' {
  const scan = new JsonScan(text, { names: ['createArgument', 'contractKey'] })
  while (scan.run(text.length));
  const { contractEntry } = JSON.parse(scan.result()) as Element
  const active = contractEntry.JsActiveContract
  if (active === undefined) return 'in transit'
  const { createdEvent, synchronizerId, reassignmentCounter } = active
  const textOf = (value: unknown) => scan.kept[placeOf(value) ?? -1] ?? JSON.stringify(value)
  const { contractId, templateId, packageName, offset, nodeId, contractKey } = createdEvent
  return {
    contractId,
    templateId,
    packageName,
    offset,
    nodeId,
    createArgument: textOf(createdEvent.createArgument),
    contractKey: contractKey === undefined || contractKey === null ? undefined : textOf(contractKey),
    blob: Buffer.from(createdEvent.createdEventBlob, 'base64'),
    synchronizerId,
    reassignmentCounter,
  }
}
