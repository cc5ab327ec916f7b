// Writes the topology transaction that onboards an external party, byte for byte as Canton does: fields in numerical
// order, defaults omitted, in the versioned wrapper.

import { MessageWriter } from '../../protobuf/message-writer.ts'
import { keyKinds } from '../keys/signing-keys.ts'
import { type MappedKey, mappingFields, type PartyToParticipant, permissions } from './mappings.ts'
import { topologyVersion } from './topology-reading.ts'

const keySpecNumbers = Object.keys(keyKinds)
const replace = 1
const firstSerial = 1
const spkiFormat = 4

export function onboardingTransaction(mapping: PartyToParticipant): Uint8Array {
  const transaction = new MessageWriter()
    .uint32(1 << 3)
    .int32(replace)
    .uint32(2 << 3)
    .uint32(firstSerial)
  embed(transaction, 3, (topologyMapping) => {
    embed(topologyMapping, mappingFields.PartyToParticipant, (writer) => writePartyToParticipant(writer, mapping))
  })
  const wrapper = new MessageWriter().uint32((1 << 3) | 2).bytes(transaction.finish())
  return wrapper
    .uint32(2 << 3)
    .int32(topologyVersion)
    .finish()
}

function writePartyToParticipant(writer: MessageWriter, { party, threshold, hosts, signingKeys }: PartyToParticipant) {
  writer.uint32((1 << 3) | 2).string(party)
  writer.uint32(2 << 3).uint32(threshold)
  for (const { participantId, permission } of hosts) {
    embed(writer, 3, (host) => {
      host.uint32((1 << 3) | 2).string(participantId)
      host.uint32(2 << 3).int32(permissions.indexOf(permission))
    })
  }
  if (signingKeys === undefined) return
  embed(writer, 6, (keySet) => {
    for (const key of signingKeys.keys) embed(keySet, 1, (message) => writeKey(message, key))
    keySet.uint32(2 << 3).uint32(signingKeys.threshold)
  })
}

function writeKey(writer: MessageWriter, { keyData, usages, keySpec }: MappedKey): void {
  writer.uint32(2 << 3).int32(spkiFormat)
  writer.uint32((3 << 3) | 2).bytes(keyData)
  embed(writer, 5, (packed) => {
    for (const usage of usages) packed.int32(usage)
  })
  writer.uint32(6 << 3).int32(keySpecNumbers.indexOf(keySpec) + 1)
}

function embed(writer: MessageWriter, field: number, write: (message: MessageWriter) => void): void {
  writer.uint32((field << 3) | 2).fork()
  write(writer)
  writer.join()
}
