// Parties hosted here and their local metadata. Rules, their order and error texts mirror Canton's
// ApiPartyManagementService and its party record stores.

import { invalidArgument, invalidField, LedgerError, missingField, type Resource } from '../../base/errors.ts'
import { pageBytesMax, partiesPageMax } from '../../base/limits.ts'
import {
  participantProblem,
  partyHintProblem,
  partyProblem,
  shorten,
  shortIdentifier,
  tooLongForIdentifier,
  uniqueIdentifierProblem,
  userIdProblem,
} from '../../base/names.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import type { Limits } from '../../base/settings.ts'
import type { Permission, TraceContext } from '../../events/format/stored-update.ts'
import type { Annotations, PartyRecord } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { Identity } from '../model/identity.ts'
import { type PageRequest, pageTokenOf, readPageToken } from '../model/paging.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import type { Network } from '../network/network.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister, PartyKeys } from '../topology/party-keys.ts'
import { allocationDetails } from '../topology/rejections.ts'
import { annotationBytes, annotationBytesMax, checkAnnotations, mergeAnnotations } from './annotations.ts'
import type { Caller } from './caller.ts'
import { checkIdentityProviderExists, checkIdentityProviderId, defaultIdentityProvider } from './identity-providers.ts'
import {
  checkQuota,
  checkSameProvider,
  hostingBytes,
  hostRecordOf,
  isAdministrator,
  synchronizersFor,
} from './party-admission.ts'
import { readResourceVersion, selected, selectFields } from './update-requests.ts'
import type { Users } from './users.ts'

type Metadata = { readonly resourceVersion: string; readonly annotations: Annotations }

export type PartyDetails = {
  readonly party: string
  readonly isLocal: boolean
  readonly localMetadata: Metadata
  readonly identityProviderId: string
}

export type AllocateRequest = {
  readonly partyIdHint: string
  readonly localMetadata: Metadata
  readonly identityProviderId: string
  /** Empty if the request names none; undefined means everywhere. */
  readonly synchronizerId: string | undefined
  /** The user that gets the right to act as the new party. */
  readonly userId: string
  /** Participants of the network that host it as well, by their ids. */
  readonly otherHosts?: readonly string[]
}

export type ConnectionsRequest = {
  /** "" when no party is named. */
  readonly party: string
  /** "" means this participant. */
  readonly participantId: string
}

/** A synchronizer that knows the party, connected or not. */
export type HostedParty = {
  readonly synchronizer: Synchronizer
  readonly hosts: readonly { readonly participant: string; readonly permission: Permission }[]
  /** How many of them must confirm. */
  readonly threshold: number
  /** With which the party signs itself; undefined if the participant signs for it. */
  readonly signingKeys: PartyKeys | undefined
}

export type Connection = {
  readonly synchronizer: Synchronizer
  /** What the participant may do for the party; undefined when no party was named. */
  readonly permission: Permission | undefined
}

const updatableFields = [
  'party',
  'is_local',
  'local_metadata.annotations',
  'local_metadata.resource_version',
  'identity_provider_id',
]

export type Parties = ReturnType<typeof createParties>

type Parts = {
  store: Store
  users: Users
  identity: Identity
  synchronizers: Synchronizers
  hosting: Hosting
  partyKeys: PartyKeyRegister
  commits: Pick<CommitQueue, 'host'>
  limits: Limits
  random: Random
  /** Undefined for a participant alone. */
  network?: Pick<Network, 'memberOf'> | undefined
  /** Parties are called by their hints, and the participant is none, as on the ledger of Daml's own tests. */
  isScriptLedger: boolean
}

export function createParties(parts: Parts) {
  const { store, users, identity, synchronizers, hosting, partyKeys, commits, limits, random } = parts
  const { network, isScriptLedger } = parts
  const { participantId } = identity

  /** What an identity provider may know of a party: only the existence of another provider's parties. */
  function asSeenFrom(identityProviderId: string, record: PartyRecord): PartyDetails {
    if (record.identityProviderId === identityProviderId) return detailsOf(record)
    return {
      party: record.party,
      isLocal: record.isLocal && identityProviderId === defaultIdentityProvider,
      localMetadata: { resourceVersion: '', annotations: {} },
      identityProviderId: '',
    }
  }

  function detailsOf({ party, isLocal, identityProviderId, resourceVersion, annotations }: PartyRecord): PartyDetails {
    // As in Canton, the participant's own party and those of others have no version before their first change.
    const isUnversioned = resourceVersion === 0n && (party === participantId || !isLocal)
    const version = isUnversioned ? '' : String(resourceVersion)
    return { party, isLocal, localMetadata: { resourceVersion: version, annotations }, identityProviderId }
  }

  /** Those of this participant that another one is connected to as well, as far as that is known. */
  function connectedTo(id: string): readonly Synchronizer[] {
    const theirs = id === participantId ? undefined : network?.memberOf(id)?.synchronizers.list()
    if (theirs === undefined) return synchronizers.list()
    return synchronizers.list().filter(({ number }) => theirs.some((one) => one.number === number))
  }

  const isConnected = (id: string, number: bigint) => connectedTo(id).some((one) => one.number === number)

  return {
    participantId,

    /** Answers when the party can be read about: it takes an offset on each synchronizer. */
    async allocate(
      request: AllocateRequest,
      caller: Caller,
      traceContext: TraceContext | null = null,
    ): Promise<PartyDetails> {
      const { partyIdHint, localMetadata, identityProviderId, synchronizerId, userId, otherHosts = [] } = request
      if (partyIdHint !== '') refuseArgument(partyProblem(partyIdHint))
      if (localMetadata.resourceVersion !== '') {
        throw invalidArgument('field local_metadata.resource_version must be not set')
      }
      checkAnnotations(localMetadata.annotations, {
        field: 'local_metadata.annotations',
        emptyValues: 'forbidden',
      })
      checkIdentityProviderId(identityProviderId)
      if (synchronizerId) refuseField('synchronizer_id', uniqueIdentifierProblem(synchronizerId))
      if (userId !== '') refuseField('user_id', userIdProblem(userId))
      const hint = partyIdHint || `party-${randomUuid(random)}`
      const hintProblem = partyHintProblem(hint)
      if (hintProblem !== undefined) throw invalidArgument(`Invalid party ID: ${hintProblem}`)
      const hosts = [participantId, ...otherHosts.filter((id) => id !== participantId)]
      const stranger = hosts.find((id) => id !== participantId && network?.memberOf(id) === undefined)
      if (stranger !== undefined) throw invalidField('participants', `${shorten(stranger)} is not of this network`)
      const record: PartyRecord = {
        party: isScriptLedger ? hint : `${hint}::${identity.namespace}`,
        isLocal: true,
        identityProviderId,
        resourceVersion: 0n,
        annotations: { ...localMetadata.annotations },
      }
      const apply = async (records: Records) => {
        await checkIdentityProviderExists(identityProviderId, records)
        if (userId !== '') await users.checkExists(userId, identityProviderId, records)
        await checkQuota(caller, records, limits, record.party)
        const existing = await records.parties.get(record.party)
        if (existing !== undefined) checkSameProvider(existing, identityProviderId)
        const hosted = existing === undefined ? [] : await records.parties.synchronizersOf(record.party)
        const wanted = synchronizersFor(synchronizerId, synchronizers, record.party).filter(
          (number) => !hosted.includes(number) && hosts.slice(1).every((id) => isConnected(id, number)),
        )
        // Hosting a party in one more place grants the right to act as it, so asking is not enough.
        const isTaken = existing !== undefined && !isAdministrator(caller)
        if (wanted.length === 0 || isTaken) throw alreadyExists(record, participantId)
        // Hosting it in one more place changes the record.
        const next = existing === undefined ? record : { ...existing, resourceVersion: existing.resourceVersion + 1n }
        await (existing === undefined ? records.parties.insert(next) : records.parties.update(next))
        await records.parties.host(record.party, wanted)
        const added = wanted.flatMap((synchronizer) =>
          hosts.map((id) => ({
            synchronizer,
            party: record.party,
            participantId: id,
            permission: 'submission' as const,
          })),
        )
        if (hosts.length > 1) await records.parties.putHosts(record.party, added.map(hostRecordOf))
        if (userId !== '') await users.grantForNewParty(userId, record.party, records)
        return { result: next, added }
      }
      const party = await users.changing(userId, () =>
        commits.host({
          userId: caller.userId ?? '',
          bytes: hostingBytes + annotationBytes(record.annotations),
          traceContext,
          apply,
          written: () => hosting.forget(record.party),
        }),
      )
      return detailsOf(party)
    },

    async list(prefix: string, identityProviderId: string, { pageSize, pageToken }: PageRequest) {
      const after = readPageToken(pageToken, (text) => partyProblem(text) === undefined)
      if (pageSize < 0) throw invalidArgument('Page size must be non-negative')
      if (pageSize > partiesPageMax) {
        throw invalidArgument(`Page size must not exceed the server's maximum of ${partiesPageMax}`)
      }
      checkIdentityProviderId(identityProviderId)
      if (prefix !== '') refuseField('filterString', partyProblem(prefix) ?? tooLongForIdentifier(prefix))
      const limit = pageSize || partiesPageMax
      const page = { after, limit, bytesMax: pageBytesMax(limits) }
      const { records, isCut } = await store.parties.list(prefix, page)
      const shown = isScriptLedger ? records.filter(({ party }) => party !== participantId) : records
      return {
        parties: shown.map((record) => asSeenFrom(identityProviderId, record)),
        nextPageToken: isCut || records.length === limit ? pageTokenOf(records.at(-1)!.party) : '',
      }
    },

    /** Leaves out unknown parties. */
    async get(parties: readonly string[], identityProviderId: string): Promise<PartyDetails[]> {
      checkIdentityProviderId(identityProviderId)
      for (const party of parties) refuseArgument(partyProblem(party))
      const found: PartyDetails[] = []
      for (const party of [...new Set(parties)].sort()) {
        const record = await store.parties.get(party)
        if (record !== undefined) found.push(asSeenFrom(identityProviderId, record))
      }
      return found
    },

    /** The synchronizers where a participant hosts a party, or all connected ones when no party is named. */
    async connections({ party, participantId }: ConnectionsRequest): Promise<Connection[]> {
      if (party !== '') refuseField('party', partyProblem(party))
      if (participantId !== '') refuseField('participant_id', participantProblem(participantId))
      const meant = participantId || identity.participantId
      const connected = connectedTo(meant)
      if (party === '') return connected.map((synchronizer) => ({ synchronizer, permission: undefined }))
      const hosted = await hosting.of(party)
      const hosts = await hosting.hosts(party)
      const external = await partyKeys.of(party)
      return connected
        .filter(({ number }) => hosted.includes(number))
        .flatMap((synchronizer): Connection[] => {
          const { number } = synchronizer
          const there = hosts.filter((host) => host.synchronizer === number)
          if (there.length === 0) {
            const permission = external.has(number) ? 'confirmation' : 'submission'
            return meant === identity.participantId ? [{ synchronizer, permission }] : []
          }
          return there
            .filter(({ participant }) => participant === meant)
            .map(({ permission }) => ({ synchronizer, permission }))
        })
    },

    /** Where the party is hosted, by whom, and how. */
    async hostings(party: string): Promise<HostedParty[]> {
      const hosted = await hosting.of(party)
      const hosts = await hosting.hosts(party)
      const keys = await partyKeys.of(party)
      return synchronizers
        .all()
        .filter(({ number }) => hosted.includes(number))
        .map((synchronizer) => {
          const there = hosts.filter((host) => host.synchronizer === synchronizer.number)
          const signingKeys = keys.get(synchronizer.number)
          const permission = signingKeys === undefined ? 'submission' : 'confirmation'
          const alone = { participant: participantId, permission } as const
          const threshold = there[0]?.threshold ?? 1
          return { synchronizer, hosts: there.length === 0 ? [alone] : there, threshold, signingKeys }
        })
    },

    async moveToIdentityProvider(party: string, source: string, target: string): Promise<void> {
      refuseArgument(partyProblem(party))
      checkIdentityProviderId(source, 'source_identity_provider_id')
      checkIdentityProviderId(target, 'target_identity_provider_id')
      await store.transaction(async (records) => {
        await checkIdentityProviderExists(source, records)
        await checkIdentityProviderExists(target, records)
        const current = await records.parties.get(party)
        if (current?.identityProviderId !== source) return unknown(party, "updating party's identity provider")
        await records.parties.update({ ...current, identityProviderId: target })
      })
    },

    async update(request: PartyDetails, paths: readonly string[] | undefined): Promise<PartyDetails> {
      const { party, isLocal, localMetadata, identityProviderId } = request
      refuseArgument(partyProblem(party))
      const expected = readResourceVersion(localMetadata.resourceVersion, 'party_details.local_metadata')
      checkAnnotations(localMetadata.annotations, {
        field: 'party_details.local_metadata.annotations',
        emptyValues: 'allowed',
      })
      if (paths === undefined) throw missingField('update_mask')
      checkIdentityProviderId(identityProviderId)
      return store.transaction(async (records) => {
        await checkIdentityProviderExists(identityProviderId, records)
        const selection = selectFields(paths, updatableFields, (reason) => badUpdate(party, reason))
        const current = (await records.parties.get(party)) ?? unknown(party, 'updating a party record')
        if (selected(selection, 'is_local', isLocal, current.isLocal, false) !== current.isLocal) {
          throw badUpdate(party, "Update request attempted to modify not-modifiable 'is_local' attribute")
        }
        checkSameProvider(current, identityProviderId)
        if (expected !== undefined && expected !== current.resourceVersion) {
          throw new LedgerError(
            'CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED',
            `Update operation for party '${party}' failed due to a concurrent update to the same party`,
            { resources: [resource(party)] },
          )
        }
        const updated: PartyRecord = {
          ...current,
          resourceVersion: current.resourceVersion + 1n,
          annotations: selection.has('local_metadata.annotations')
            ? mergeAnnotations(current.annotations, localMetadata.annotations)
            : current.annotations,
        }
        if (annotationBytes(updated.annotations) > annotationBytesMax) {
          throw new LedgerError(
            'MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED',
            `Maximum annotations size for party '${party}' has been exceeded`,
            { resources: [resource(party)] },
          )
        }
        await records.parties.update(updated)
        return detailsOf(updated)
      })
    },
  }
}

function alreadyExists({ party }: PartyRecord, participantId: string): LedgerError {
  const reason = `Party already exists: party ${shortIdentifier(party)} is already allocated on this node`
  return invalidArgument(reason, allocationDetails(party, participantId))
}

function badUpdate(party: string, reason: string): LedgerError {
  const text = `Update operation for party '${party}' failed due to: ${reason}`
  return new LedgerError('INVALID_PARTY_DETAILS_UPDATE_REQUEST', text, { resources: [resource(party)] })
}

function unknown(party: string, operation: string): never {
  throw new LedgerError('PARTY_NOT_FOUND', `Party: '${party}' was not found when ${operation}`, {
    resources: [resource(party)],
  })
}

function refuseArgument(problem: string | undefined): void {
  if (problem !== undefined) throw invalidArgument(problem)
}

function refuseField(field: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalidField(field, problem)
}

function resource(party: string): Resource {
  return ['PARTY', party]
}
