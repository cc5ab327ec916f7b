// The topology as far as it follows from the ledger's state: parties, vetted packages and synchronizers, as they are now.
// Mirrors Canton's GrpcTopologyManagerReadService and GrpcTopologyAggregationService. Topology transactions themselves are
// not kept, but clients refuse results without their hash and times: the hash is one of the result, and the times are
// those of the beginning.
import { createHash } from 'node:crypto'
import { LedgerError } from '../../base/errors.ts'
import { partiesPageMax } from '../../base/limits.ts'
import type { HostedParty } from '../../ledger/administration/parties.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { fullPhysicalId, type Synchronizer } from '../../ledger/model/synchronizers.ts'
import { unknownStore } from '../../ledger/packages/vetting.ts'
import { malformed } from '../../ledger/packages/vetting-request.ts'
import { timestampToText } from '../../lf/codec/time-text.ts'
import type { Request } from '../method.ts'
import { codes, GrpcError } from '../status.ts'
import type { AdminMethod } from './method.ts'

const service = 'topology.admin.v30.TopologyManagerReadService'

/** Clients of gRPC take answers of 4 MB unless they are told otherwise. */
const answerBytesMax = 4 * 1024 * 1024
/** Of one party or package in an answer; identifiers have at most 255 bytes each. */
const resultBytes = 1024

export const topologyMethods: readonly AdminMethod[] = [
  {
    method: `${service}/ListAvailableStores`,
    async call({ synchronizers }) {
      return { storeIds: [...synchronizers.all().map(storeOf), { store: { Authorized: {} } }] }
    },
  },
  {
    method: `${service}/ListPartyToParticipant`,
    async call(ledger, { baseQuery, filterParty, filterParticipant }, _permission, { signal }) {
      const places = placesOf(ledger, baseQuery)
      const results: object[] = []
      if (places.length === 0) return { results }
      for await (const party of parties(ledger, filterParty, signal)) {
        for (const hosted of await ledger.parties.hostings(party)) {
          if (isParticipant(party, hosted)) continue // No mapping says that a participant hosts its own party.
          if (!isIn(places, hosted.synchronizer)) continue
          const participants = hosted.hosts.map(({ participant }) => participant)
          if (!participants.some((participant) => matches(participant, filterParticipant))) continue
          const signers = [...new Set([party, ...participants].map(namespaceOf))]
          add(results, { baseQuery, signers, synchronizer: hosted.synchronizer }, mappingOf(party, hosted))
        }
      }
      return { results }
    },
  },
  {
    method: `${service}/ListVettedPackages`,
    async call(ledger, { baseQuery, filterParticipant }) {
      const results: object[] = []
      for (const synchronizer of placesOf(ledger, baseQuery)) {
        for (const { participantId, serial, packages } of await vettedOn(ledger, synchronizer)) {
          if (!matches(participantId, filterParticipant)) continue
          const item = { participantUid: participantId, packages: packages.map(vettedPackageOf) }
          add(results, { baseQuery, signers: [namespaceOf(participantId)], synchronizer, serial }, item)
        }
      }
      return { results }
    },
  },
  {
    method: `${service}/ListSynchronizerTrustCertificate`,
    async call(ledger, { baseQuery, filterUid }, _permission, { signal }) {
      const places = placesOf(ledger, baseQuery)
      const results: object[] = []
      for await (const party of parties(ledger, filterUid, signal)) {
        for (const hosted of await ledger.parties.hostings(party)) {
          const { synchronizer } = hosted
          if (!isParticipant(party, hosted) || !isIn(places, synchronizer)) continue
          const featureFlags = ['PARTICIPANT_FEATURE_FLAG_ENABLE_MULTI_SYNCHRONIZER']
          const item = { participantUid: party, synchronizerId: synchronizer.id, featureFlags }
          add(results, { baseQuery, signers: [namespaceOf(party)], synchronizer }, item)
        }
      }
      return { results }
    },
  },
  {
    // Synchronizers here restrict nobody, and Canton lists only restrictions.
    method: `${service}/ListParticipantSynchronizerPermission`,
    async call(ledger, { baseQuery }) {
      placesOf(ledger, baseQuery)
      return { results: [] }
    },
  },
  {
    method: 'topology.admin.v30.TopologyAggregationService/ListParties',
    async call(ledger, { limit, synchronizerIds, filterParty, filterParticipant }, _permission, { signal }) {
      for (const id of synchronizerIds) knownSynchronizer(ledger, id)
      const isAmong = ({ id }: Synchronizer) => synchronizerIds.length === 0 || synchronizerIds.includes(id)
      const results: object[] = []
      for await (const party of parties(ledger, filterParty, signal)) {
        if (results.length >= limit) break
        if (!party.startsWith(filterParty)) continue
        const hostings = (await ledger.parties.hostings(party)).filter(({ synchronizer }) => isAmong(synchronizer))
        const participants = participantsOf(hostings, filterParticipant)
        if (participants.length === 0) continue
        checkSize(results)
        results.push({ party, participants })
      }
      return { results }
    },
  },
]

/** The synchronizers whose state is asked for; none if the query asks for what there is none of. */
function placesOf(ledger: Ledger, baseQuery: Request): readonly Synchronizer[] {
  if (baseQuery === undefined) throw malformed('FieldNotSet(base_query)')
  const { store, proposals, operation, timeQuery } = baseQuery
  if (timeQuery === undefined) throw malformed('FieldNotSet(time_query)')
  if (timeQuery.headState === undefined) {
    throw new GrpcError(codes.unimplemented, 'The topology is known as it is now: ask for head_state')
  }
  const { authorized, synchronizer, temporary } = store?.store ?? {}
  if (temporary !== undefined) {
    throw new LedgerError('TOPOLOGY_STORE_NOT_FOUND', `Topology store '${temporary.name}' is not known.`)
  }
  const { id, physicalId } = synchronizer?.kind ?? {}
  const named = synchronizer && knownSynchronizer(ledger, id ?? physicalId ?? '')
  if (authorized !== undefined || proposals || operation === 'TOPOLOGY_CHANGE_OP_REMOVE') return []
  return named === undefined ? everySynchronizer(ledger) : [named]
}

function isIn(places: readonly Synchronizer[], { id }: Synchronizer): boolean {
  return places.some((place) => place.id === id)
}

/** Connected or not. */
function everySynchronizer({ synchronizers }: Ledger): readonly Synchronizer[] {
  return synchronizers.all()
}

function knownSynchronizer(ledger: Ledger, id: string): Synchronizer {
  const found = everySynchronizer(ledger).find((one) => one.id === id || fullPhysicalId(one) === id)
  if (found === undefined) throw unknownStore(id)
  return found
}

/** Filters are beginnings, of the name and of the namespace. */
function matches(identifier: string, filter: string): boolean {
  const [name = '', namespace = ''] = filter.split('::')
  return identifier.startsWith(name) && namespaceOf(identifier).startsWith(namespace)
}

function namespaceOf(identifier: string): string {
  return identifier.slice(identifier.indexOf('::') + 2)
}

/** Of a ledger with many parties this takes a while, so it ends with the call. */
async function* parties({ parties: known }: Ledger, filter: string, signal: AbortSignal): AsyncGenerator<string> {
  const [prefix = ''] = filter.split('::')
  for (let pageToken = ''; ; ) {
    const page = await known.list(prefix, '', { pageSize: partiesPageMax, pageToken })
    for (const { party } of page.parties) {
      signal.throwIfAborted()
      if (matches(party, filter)) yield party
    }
    pageToken = page.nextPageToken
    if (pageToken === '') return
  }
}

/** Every participant has a party of its own, with the same id. */
function isParticipant(party: string, { hosts }: HostedParty): boolean {
  return hosts.some(({ participant }) => participant === party)
}

async function vettedOn({ vetting }: Ledger, { id }: Synchronizer) {
  const everything = { packageIds: [], packageNamePrefixes: [], participantIds: [] }
  const page = await vetting.list({ ...everything, synchronizerIds: [id], pageToken: '', pageSize: 0 })
  return page.vettedPackages
}

type Vetted = {
  readonly packageId: string
  readonly validFrom: bigint | undefined
  readonly validUntil: bigint | undefined
}

function vettedPackageOf({ packageId, validFrom, validUntil }: Vetted): object {
  return {
    packageId,
    ...(validFrom !== undefined && { validFromInclusive: timestampToText(validFrom) }),
    ...(validUntil !== undefined && { validUntilExclusive: timestampToText(validUntil) }),
  }
}

function participantsOf(hostings: readonly HostedParty[], filter: string): object[] {
  const names = new Set(hostings.flatMap(({ hosts }) => hosts.map(({ participant }) => participant)))
  return [...names]
    .filter((participant) => participant.startsWith(filter))
    .map((participantUid) => ({
      participantUid,
      synchronizers: hostings.flatMap(({ synchronizer, hosts }) =>
        hosts
          .filter(({ participant }) => participant === participantUid)
          .map(({ permission }) => ({
            synchronizerId: synchronizer.id,
            permission: permissionOf(permission),
            physicalSynchronizerId: fullPhysicalId(synchronizer),
          })),
      ),
    }))
}

function mappingOf(party: string, { hosts, threshold, signingKeys }: HostedParty): object {
  const keys = signingKeys?.keys.map(({ keySpec, keyData }) => ({
    format: 'CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO',
    publicKey: Buffer.from(keyData).toString('base64'),
    usage: ['SIGNING_KEY_USAGE_NAMESPACE', 'SIGNING_KEY_USAGE_PROOF_OF_OWNERSHIP', 'SIGNING_KEY_USAGE_PROTOCOL'],
    keySpec,
  }))
  return {
    party,
    threshold,
    participants: hosts.map(({ participant, permission }) => ({
      participantUid: participant,
      permission: permissionOf(permission),
    })),
    ...(keys !== undefined && { partySigningKeys: { keys, threshold: signingKeys!.threshold } }),
  }
}

function permissionOf(permission: HostedParty['hosts'][number]['permission']): string {
  return `PARTICIPANT_PERMISSION_${permission.toUpperCase()}`
}

function storeOf(synchronizer: Synchronizer): object {
  return { store: { Synchronizer: { kind: { PhysicalId: fullPhysicalId(synchronizer) } } } }
}

type Mapping = {
  readonly baseQuery: Request
  readonly synchronizer: Synchronizer
  /** Fingerprints of the keys that authorize it. */
  readonly signers: readonly string[]
  readonly serial?: number
}

function add(results: object[], { baseQuery, synchronizer, signers, serial = 1 }: Mapping, item: object): void {
  if (!signers.some((signer) => signer.startsWith(baseQuery.filterSignedKey))) return
  checkSize(results)
  const context = {
    store: storeOf(synchronizer),
    sequenced: beginning,
    validFrom: beginning,
    operation: 'TOPOLOGY_CHANGE_OP_ADD_REPLACE',
    transactionHash: hashOf([synchronizer.id, serial, item]),
    serial,
    signedByFingerprints: signers,
  }
  results.push({ context, item })
}

const beginning = '1970-01-01T00:00:00Z'
/** Of SHA-256, as a multihash has it: the algorithm and the length. */
const hashHead = Buffer.from([0x12, 0x20])

function hashOf(value: unknown): string {
  return Buffer.concat([hashHead, createHash('sha256').update(JSON.stringify(value)).digest()]).toString('base64')
}

function checkSize(results: readonly object[]): void {
  if (results.length * resultBytes < answerBytesMax) return
  throw new GrpcError(codes.resourceExhausted, 'There are more results than an answer holds; filter by party')
}
