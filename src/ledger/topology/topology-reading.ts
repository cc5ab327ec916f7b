// Topology transactions from Canton's protobuf form. What is accepted, the order of checks and the error texts mirror
// Canton's TopologyMapping.scala and Signing.scala (fromProtoV30).
import { LooseMessage } from '../../protobuf/loose-message.ts'
import { javaWords, ProtobufError } from '../../protobuf/protobuf-error.ts'
import { notSet, positive, TopologyFormatError, unrecognized } from './format-error.ts'
import { decentralizedMapping, namespaceDelegation, partyToKeyMapping, partyToParticipant } from './mapping-reading.ts'
import { type Mapping, mappingFields, type TopologyTransaction, transactionHash } from './mappings.ts'

/** The version of the messages in topology.proto; protocol version 35 has no other. */
export const topologyVersion = 30

/** A value of TopologyChangeOp. */
const replace = 1
const remove = 2

/** Mappings that onboarding does not use, by field number. */
const otherMappings: Readonly<Record<number, string>> = {
  4: 'OwnerToKeyMapping',
  5: 'SynchronizerTrustCertificate',
  6: 'ParticipantSynchronizerPermission',
  7: 'PartyHostingLimits',
  8: 'VettedPackages',
  11: 'SynchronizerParametersState',
  12: 'MediatorSynchronizerState',
  13: 'SequencerSynchronizerState',
  15: 'SequencingParametersState',
  17: 'LsuAnnouncement',
  18: 'LsuSequencerConnectionSuccessor',
}
const mappingChoices = [...Object.values(mappingFields), ...Object.keys(otherMappings).map(Number)]

/** The transaction, or why the bytes are not one. */
export async function readTopologyTransaction(
  bytes: Uint8Array,
): Promise<TopologyTransaction | { readonly refused: string }> {
  try {
    return await transactionFrom(bytes)
  } catch (error) {
    if (error instanceof TopologyFormatError) return { refused: error.message }
    // Clients of Canton see what Java's reader says.
    if (error instanceof ProtobufError && error.damage) return { refused: javaWords[error.damage] }
    throw error
  }
}

async function transactionFrom(bytes: Uint8Array): Promise<TopologyTransaction> {
  const wrapper = new LooseMessage(bytes, 'TopologyTransaction')
  const data = wrapper.bytes(1)
  if (data === undefined) throw notSet('TopologyTransaction: data')
  const version = wrapper.int(2)
  if (version !== topologyVersion) {
    const known = `has no versioning information corresponding to protobuf ProtoVersion(${version})`
    throw new TopologyFormatError(`Message TopologyTransaction ${known}`)
  }
  const transaction = new LooseMessage(data, 'TopologyTransaction')
  const mapping = await mappingFrom(transaction.message(3))
  const serial = positive(transaction.int(2), 'serial')
  const operation = transaction.int(1)
  if (operation === 0) throw notSet('operation')
  if (operation !== replace && operation !== remove) throw unrecognized('UNRECOGNIZED', operation)
  return { isReplace: operation === replace, serial, mapping, bytes, hash: transactionHash(bytes) }
}

async function mappingFrom(message: LooseMessage | undefined): Promise<Mapping> {
  const field = message?.choice(mappingChoices)
  if (message === undefined || field === undefined) throw notSet('mapping')
  const name = otherMappings[field]
  if (name !== undefined) return { kind: 'other', name }
  const content = message.message(field)!
  if (field === mappingFields.NamespaceDelegation) return namespaceDelegation(content)
  if (field === mappingFields.DecentralizedNamespaceDefinition) return decentralizedMapping(content)
  return field === mappingFields.PartyToParticipant ? partyToParticipant(content) : partyToKeyMapping(content)
}
