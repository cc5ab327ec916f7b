// What requests to onboard a party leave for later ones, as in Canton's topology store: certificates of namespaces, and
// proposals, whose transactions others sign later. Of a proposal it is enough to know who has signed: the request that
// adds a signature brings the transactions again.
import assert from 'node:assert/strict'
import { invalidArgument } from '../../base/errors.ts'
import type { ProposalRecord, TopologyRecords } from '../../store/core/ledger-records.ts'
import { type CertificateMapping, namespaceOf, targetOf } from './authorization.ts'
import { multiHash, type TopologyTransaction } from './mappings.ts'
import type { Onboarding } from './party-onboarding.ts'
import { readTopologyTransaction } from './topology-reading.ts'

export type Kept = {
  /** Of the party's namespace, and of the namespaces of its owners. */
  readonly certificates: readonly TopologyTransaction<CertificateMapping>[]
  readonly proposal: ProposalRecord | undefined
  /** The keys that signed each transaction of the proposal before. */
  readonly signers: readonly ReadonlySet<string>[]
  /** Namespaces of other participants that have proposed the same. */
  readonly agreed: ReadonlySet<string>
}

/** What another participant that is to host the party keeps. */
export type KeptElsewhere = {
  readonly participantId: string
  readonly topology: Pick<TopologyRecords, 'proposal'>
}

/** Of a namespace: each is read with every party of the namespace. */
const certificatesMax = 10
const certificateBytesMax = 4096
/** Of a party, by one user. */
const proposalsMax = 10

export async function readKept(
  onboarding: Onboarding,
  synchronizer: bigint,
  topology: TopologyRecords,
  elsewhere: readonly KeptElsewhere[],
): Promise<Kept> {
  const { party, namespace } = onboarding.hosting.transaction.mapping
  const own = await readCertificates([namespace], synchronizer, topology)
  const group = [...own, ...(onboarding.decentralized ? [onboarding.decentralized.transaction] : [])].find(
    ({ mapping }) => mapping.kind === 'DecentralizedNamespaceDefinition',
  )
  const ofOwners = await readCertificates(ownersOf(group?.mapping), synchronizer, topology)
  const proposal = await topology.proposal(party, synchronizer, hashOf(onboarding))
  const proposals = proposal === undefined ? [] : [proposal]
  const agreed = new Set<string>()
  for (const { participantId, topology: theirs } of elsewhere) {
    const same = await theirs.proposal(party, synchronizer, hashOf(onboarding))
    if (same === undefined) continue
    proposals.push(same)
    agreed.add(namespaceOf(participantId))
  }
  const signers = onboarding.proposed.map((_, index) => new Set(proposals.flatMap((one) => one.signers[index] ?? [])))
  return { certificates: [...own, ...ofOwners], proposal, signers, agreed }
}

export async function keepCertificates(
  added: Kept['certificates'],
  { certificates }: Kept,
  synchronizer: bigint,
  topology: TopologyRecords,
): Promise<void> {
  const all = Map.groupBy([...certificates, ...added], ({ mapping }) => mapping.namespace)
  for (const { mapping, bytes } of added) {
    const { namespace } = mapping
    if (all.get(namespace)!.length > certificatesMax) {
      throw invalidArgument(`A namespace can have at most ${certificatesMax} certificates`)
    }
    if (bytes.length > certificateBytesMax) {
      throw invalidArgument(`A certificate can have at most ${certificateBytesMax} bytes`)
    }
    await topology.insertCertificate({ namespace, synchronizer, target: targetOf(mapping), content: bytes })
  }
}

type Proposer = Pick<ProposalRecord, 'synchronizer' | 'proposedBy'>

/** `signers` has the earlier ones as well. */
export async function keepProposal(
  onboarding: Onboarding,
  signers: ProposalRecord['signers'],
  { proposal }: Kept,
  { synchronizer, proposedBy }: Proposer,
  topology: TopologyRecords,
): Promise<void> {
  const { party } = onboarding.hosting.transaction.mapping
  if (proposal !== undefined) {
    await topology.putProposal({ ...proposal, requests: proposal.requests + 1n, signers })
    return
  }
  if ((await topology.countProposals(party, synchronizer, proposedBy)) >= BigInt(proposalsMax)) {
    throw invalidArgument(`A user can propose at most ${proposalsMax} ways to host a party`)
  }
  await topology.putProposal({ party, synchronizer, hash: hashOf(onboarding), proposedBy, requests: 1n, signers })
}

function ownersOf(mapping: CertificateMapping | undefined): readonly string[] {
  return mapping?.kind === 'DecentralizedNamespaceDefinition' ? mapping.owners : []
}

function hashOf({ proposed }: Onboarding): string {
  return multiHash(proposed.map(({ transaction }) => transaction.hash)).toString('hex')
}

async function readCertificates(namespaces: readonly string[], synchronizer: bigint, topology: TopologyRecords) {
  const found: TopologyTransaction<CertificateMapping>[] = []
  for (const { content } of await topology.certificates(synchronizer, namespaces)) {
    const transaction = await readTopologyTransaction(content)
    assert(!('refused' in transaction), 'a certificate is kept after it was read')
    found.push(transaction as TopologyTransaction<CertificateMapping>)
  }
  return found
}
