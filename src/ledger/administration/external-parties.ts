// Parties that hold their own keys, outside this participant. Rules, their order and error texts mirror Canton's
// ApiPartyManagementService and PartyOps.
import { invalidArgument, invalidField, missingField } from '../../base/errors.ts'
import { shorten, shortIdentifier, uniqueIdentifierProblem, userIdProblem } from '../../base/names.ts'
import type { Limits } from '../../base/settings.ts'
import { nextTurn } from '../../base/turns.ts'
import type { TraceContext } from '../../events/format/stored-update.ts'
import type { TransactionRecords } from '../../store/core/store.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { NewHosting } from '../commit/hosting-change.ts'
import { type SentSignature, validateSignature } from '../keys/signatures.ts'
import { signingKeyFromStore } from '../keys/signing-keys.ts'
import type { Identity } from '../model/identity.ts'
import type { Synchronizer, Synchronizers } from '../model/synchronizers.ts'
import type { Network } from '../network/network.ts'
import type { Hosting } from '../topology/hosting.ts'
import { keepCertificates, keepProposal, readKept } from '../topology/kept-topology.ts'
import { authorize } from '../topology/onboarding-authorization.ts'
import type { PartyKeyRegister, PartyKeys } from '../topology/party-keys.ts'
import { createOnboarding, type SentTransaction } from '../topology/party-onboarding.ts'
import { partyExists } from '../topology/rejections.ts'
import { readTopologyTransaction } from '../topology/topology-reading.ts'
import type { Caller } from './caller.ts'
import { type GeneratedTopology, generateTopology, type TopologyRequest } from './external-party-topology.ts'
import { checkIdentityProviderExists, checkIdentityProviderId } from './identity-providers.ts'
import { checkQuota, checkSameProvider, hostingBytes, hostRecordOf, isAdministrator } from './party-admission.ts'
import type { Users } from './users.ts'

export type AllocateExternalRequest = {
  /** Its id, or the id of one of its physical synchronizers. */
  readonly synchronizer: string
  readonly onboardingTransactions: readonly {
    readonly transaction: Uint8Array
    readonly signatures: readonly SentSignature[]
  }[]
  readonly multiHashSignatures: readonly SentSignature[]
  readonly identityProviderId: string
  /** The user that gets the right to act as the new party. */
  readonly userId: string
}

export type ExternalParties = ReturnType<typeof createExternalParties>

type Parts = {
  readonly users: Users
  readonly identity: Identity
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly partyKeys: PartyKeyRegister
  readonly commits: Pick<CommitQueue, 'host'>
  readonly limits: Limits
  /** Undefined for a participant alone. */
  readonly network?: Pick<Network, 'memberOf'> | undefined
}

/** A party of ten owners with all their certificates needs thirteen. */
const transactionsMax = 25

export function createExternalParties(parts: Parts) {
  const { users, identity, synchronizers, hosting, partyKeys, commits, limits, network } = parts
  const { participantId } = identity
  const participantKey = signingKeyFromStore('SIGNING_KEY_SPEC_EC_CURVE25519', identity.publicKey)

  /** Checks everything that does not depend on stored data. */
  async function validate(request: AllocateExternalRequest) {
    const synchronizer = findSynchronizer(request.synchronizer)
    const transactions = await readTransactions(request)
    const multiSignatures = request.multiHashSignatures.map((signature) =>
      validateSignature(signature, 'multi_hash_signatures.signatures'),
    )
    checkIdentityProviderId(request.identityProviderId)
    const userProblem = request.userId === '' ? undefined : userIdProblem(request.userId)
    if (userProblem !== undefined) throw invalidField('user_id', userProblem)
    return { synchronizer, onboarding: createOnboarding({ transactions, multiSignatures, participantId }) }
  }

  const isOther = (one: { readonly participantId: string }) => one.participantId !== participantId
  const isKnown = (id: string) => network?.memberOf(id) !== undefined

  function findSynchronizer(text: string): Synchronizer {
    if (text === '') throw missingField('synchronizer')
    const id = uniqueIdentifierProblem(text) === undefined ? text : logicalId(text)
    const synchronizer = synchronizers.byId(id)
    if (synchronizer !== undefined) return synchronizer
    throw invalidArgument(`This node is not connected to the requested synchronizer ${shortIdentifier(id)}.`)
  }

  return {
    /** The party's keys on the synchronizer, or on any; undefined unless it is an external party there. */
    async signingKeysOf(party: string, synchronizerId?: string): Promise<PartyKeys | undefined> {
      const keys = await partyKeys.of(party)
      if (synchronizerId === undefined) return keys.values().next().value
      const synchronizer = synchronizers.byId(synchronizerId)
      return synchronizer && keys.get(synchronizer.number)
    },

    /** The transactions that a party must sign before this participant may host it. */
    generateTopology(request: TopologyRequest): Promise<GeneratedTopology> {
      return generateTopology(request, { participantId, synchronizers })
    },

    /** Returns the party's id. The party does not exist until everyone has agreed. */
    async allocate(
      request: AllocateExternalRequest,
      caller: Caller,
      traceContext: TraceContext | null = null,
    ): Promise<string> {
      const { synchronizer, onboarding } = await validate(request)
      const { identityProviderId, userId } = request
      const { number } = synchronizer
      const { party, namespace, hosts, threshold: confirming } = onboarding.hosting.transaction.mapping
      const others = hosts.flatMap((host) => network?.memberOf(host.participantId) ?? []).filter(isOther)
      const { keys, threshold } = onboarding.signingKeys
      const apply = async (records: TransactionRecords) => {
        await checkIdentityProviderExists(identityProviderId, records)
        if (userId !== '') await users.checkExists(userId, identityProviderId, records)
        await checkQuota(caller, records, limits, party)
        const existing = await records.parties.get(party)
        if (existing !== undefined) checkSameProvider(existing, identityProviderId)
        const hostedOn = await records.parties.synchronizersOf(party)
        // Only the participant signs for its own namespace, and it signs for anybody, who would get the right to act.
        const isTaken = existing !== undefined && namespace === identity.namespace && !isAdministrator(caller)
        // The participant's own party is hosted without a mapping, and refused in other words below.
        const isRefused = party !== participantId && (hostedOn.includes(number) || isTaken)
        if (isRefused) throw partyExists(party, synchronizer.id, participantId)
        const elsewhere = others.map((one) => ({ ...one, topology: records.of(one.number).topology }))
        const kept = await readKept(onboarding, number, records.topology, elsewhere)
        const participant = { participantId, participantKey, isKnown }
        const { isComplete, newCertificates, signers } = authorize(onboarding, participant, kept)
        await keepCertificates(newCertificates, kept, number, records.topology)
        if (existing?.isLocal) {
          await records.parties.update({ ...existing, resourceVersion: existing.resourceVersion + 1n })
        }
        if (!isComplete) {
          const proposer = { synchronizer: number, proposedBy: caller.userId ?? '' }
          await keepProposal(onboarding, signers, kept, proposer, records.topology)
          return { result: undefined, added: [] }
        }
        if (!existing?.isLocal) {
          // As in Canton, each proposal was a change of the record that the party gets now.
          const resourceVersion = await records.topology.countRequests(party)
          const record = { party, isLocal: true, identityProviderId, resourceVersion, annotations: {} }
          await (existing === undefined ? records.parties.insert(record) : records.parties.update(record))
        }
        await records.topology.deleteProposals(party, number)
        await records.parties.host(party, [number])
        const external = { party, synchronizer: number, keys, threshold }
        await records.externalParties.insert(external)
        const added = hosts.map((host): NewHosting => {
          const permission = permissions[host.permission]
          return { synchronizer: number, party, participantId: host.participantId, permission, threshold: confirming }
        })
        if (added.length > 1) await records.parties.putHosts(party, added.map(hostRecordOf))
        // A proposal alone grants no right: anybody can propose to host anybody.
        if (userId !== '') await users.grantForNewParty(userId, party, records)
        return { result: undefined, added, keys: [external] }
      }
      await users.changing(userId, () =>
        commits.host({
          userId: caller.userId ?? '',
          bytes: request.onboardingTransactions.reduce((sum, one) => sum + one.transaction.length, hostingBytes),
          traceContext,
          apply,
          written() {
            hosting.forget(party)
            partyKeys.forget(party)
          },
        }),
      )
      return party
    },
  }
}

const permissions = { Submission: 'submission', Confirmation: 'confirmation', Observation: 'observation' } as const

async function readTransactions({ onboardingTransactions }: AllocateExternalRequest): Promise<SentTransaction[]> {
  if (onboardingTransactions.length > transactionsMax) {
    throw invalidArgument(`At most ${transactionsMax} onboarding transactions can be provided`)
  }
  const field = 'onboarding_transactions.transaction'
  const transactions: SentTransaction[] = []
  for (const { transaction: bytes, signatures } of onboardingTransactions) {
    await nextTurn() // Each may hold twenty keys, and checking them takes time.
    const transaction = await readTopologyTransaction(bytes)
    if ('refused' in transaction) throw invalidField(field, `Invalid transaction: ${transaction.refused}`)
    if (!transaction.isReplace) {
      throw invalidField(field, 'Onboarding topology transactions must be Replace operations')
    }
    if (transaction.serial !== 1) throw invalidField(`${field}.serial`, 'Onboarding transaction serial must be 1')
    const validated = signatures.map((signature) => validateSignature(signature, 'onboarding_transaction.signatures'))
    transactions.push({ transaction, signatures: validated })
  }
  if (transactions.length > 0) return transactions
  throw invalidField('onboarding_transactions.transactions', 'Transactions field is empty')
}

/** `text` is a physical synchronizer's id: `name::fingerprint::protocolVersion-serial`. */
function logicalId(text: string): string {
  const parts = text.split('::')
  const [name, fingerprint, suffix] = parts
  if (parts.length !== 3)
    throw invalidField('synchronizer', `Unable to parse \`${shorten(text)}\` as physical synchronizer id`)
  const id = `${name}::${fingerprint}`
  const problem = uniqueIdentifierProblem(id)
  if (problem !== undefined) throw invalidField('synchronizer', problem)
  if (/^\d{1,9}-\d{1,9}$/.test(suffix!)) return id
  throw invalidField('synchronizer', `Cannot parse ${shorten(suffix!)} as a physical synchronizer id suffix`)
}
