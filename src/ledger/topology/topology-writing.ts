// Writes the topology transaction that onboards an external party, byte for byte as Canton does: fields in numerical
// order, defaults omitted, in the versioned wrapper.

import { finishWriting, type MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import { keyKinds } from '../keys/signing-keys.ts'
import { type MappedKey, mappingFields, type PartyToParticipant, permissions } from './mappings.ts'
import { topologyVersion } from './topology-reading.ts'

const keySpecNumbers = Object.keys(keyKinds)
const replace = 1
const firstSerial = 1
const spkiFormat = 4

const { varint, bytes } = wireTypes

export function onboardingTransaction(mapping: PartyToParticipant): Uint8Array {
  return finishWriting((writer) => {
    writer.message(1, () => {
      writer.tag(1, varint).int32(replace).tag(2, varint).uint32(firstSerial)
      writer.message(3, () => {
        writer.message(mappingFields.PartyToParticipant, () => writePartyToParticipant(writer, mapping))
      })
    })
    writer.tag(2, varint).int32(topologyVersion)
  })
}

function writePartyToParticipant(writer: MessageWriter, { party, threshold, hosts, signingKeys }: PartyToParticipant) {
  writer.tag(1, bytes).string(party).tag(2, varint).uint32(threshold)
  for (const { participantId, permission } of hosts) {
    writer.message(3, () => {
      writer.tag(1, bytes).string(participantId).tag(2, varint).int32(permissions.indexOf(permission))
    })
  }
  if (signingKeys === undefined) return
  writer.message(6, () => {
    for (const key of signingKeys.keys) writer.message(1, () => writeKey(writer, key))
    writer.tag(2, varint).uint32(signingKeys.threshold)
  })
}

function writeKey(writer: MessageWriter, { keyData, usages, keySpec }: MappedKey): void {
  writer.tag(2, varint).int32(spkiFormat).tag(3, bytes).bytes(keyData)
  // Packed numbers look like a message.
  writer.message(5, () => {
    for (const usage of usages) writer.int32(usage)
  })
  writer.tag(6, varint).int32(keySpecNumbers.indexOf(keySpec) + 1)
}
