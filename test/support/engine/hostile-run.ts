// Runs a hostile package in process, and says how it ended: refused as a client would see it, or accepted with events
// that are checked as a reader would see them.
import assert from 'node:assert/strict'
import { LedgerError } from '../../../src/base/errors.ts'
import { createInterpreter } from '../../../src/engine/interpreter.ts'
import { identifierFrom } from '../../../src/engine/requests/command-decoding.ts'
import type { EventNode } from '../../../src/engine/requests/events.ts'
import { serve } from '../../../src/engine/requests/served-transaction.ts'
import { typeOfTemplate } from '../../../src/engine/transaction/contracts.ts'
import { compareValues } from '../../../src/engine/values/order.ts'
import { piecesOf } from '../../../src/events/format/event-pieces.ts'
import { unpackBytes } from '../../../src/events/format/unpacking.ts'
import { decodeArchive } from '../../../src/lf/archive/archive.ts'
import { decodeContractBlob } from '../../../src/lf/codec/contract-blob.ts'
import { createJsonCodec } from '../../../src/lf/codec/json.ts'
import { createProtobufCodec } from '../../../src/lf/codec/protobuf.ts'
import { createDataTypes } from '../../../src/lf/values/data-types.ts'
import type { Hostile } from './hostile-packages.ts'
import { ledgerOf } from './ledger.ts'
import { requestOf } from './requests.ts'

export type HostileEnd =
  | { readonly kind: 'accepted'; readonly results: readonly unknown[] }
  | { readonly kind: 'refused'; readonly error: LedgerError }

/** Throws for anything but a refusal or a well-formed transaction. */
export function runHostile(attack: Hostile, stepsMax = 200_000): HostileEnd {
  const interpreter = createInterpreter(ledgerOf({ dalfs: [{ bytes: attack.dalf }] }))
  const request = requestOf({ commands: [attack.command('Alice')], actAs: ['Alice'] })
  try {
    const { transaction } = interpreter.interpret(request, { stepsMax })
    checkServed(serve(transaction, 0))
    return { kind: 'accepted', results: checkValues(transaction.nodes, attack) }
  } catch (error) {
    if (error instanceof LedgerError) return { kind: 'refused', error }
    throw error
  }
}

/** What readers get: each event is one JSON object with exactly the fields that it should have. */
function checkServed({ served }: ReturnType<typeof serve>): void {
  const { events } = JSON.parse(served.facts)
  let end = 0
  const body = unpackBytes(served.body)
  const ends = served.ends.values()
  for (const [kind] of events) {
    const pieces = Array.from({ length: piecesOf[kind as keyof typeof piecesOf] }, () => {
      const start = end
      end = ends.next().value!
      return Buffer.from(body.subarray(start, end)).toString()
    })
    assert.deepEqual(Object.keys(JSON.parse(`{${pieces.join()}}`)), fieldsOfEvent[kind as keyof typeof piecesOf])
  }
}

const fieldsOfEvent = {
  create: [
    ...['contractId', 'templateId', 'contractKey', 'contractKeyHash', 'createArgument', 'signatories', 'observers'],
    ...['createdAt', 'packageName', 'representativePackageId'],
  ],
  exercise: [
    ...['contractId', 'templateId', 'interfaceId', 'choice', 'choiceArgument', 'actingParties', 'consuming'],
    ...['lastDescendantNodeId', 'exerciseResult', 'packageName'],
  ],
}

/** Arguments and results have their declared types, and contracts can be read again. */
function checkValues(nodes: readonly EventNode[], { dalf }: Hostile): unknown[] {
  const { package: decoded } = decodeArchive(dalf)
  const parts = { dataTypes: createDataTypes(new Map([[decoded.id, decoded]])), compare: compareValues }
  const json = createJsonCodec(parts)
  const protobuf = createProtobufCodec(parts)
  return nodes.flatMap((node) => {
    if (node.kind !== 'create' && node.kind !== 'exercise') return []
    const { module, name } = identifierFrom(node.templateId)
    const template = decoded.modules.get(module)!.templates.get(name)!
    if (node.kind === 'create') {
      const type = typeOfTemplate({ packageId: decoded.id, module, name })
      const codec = json.codecFor(type)
      assert.equal(codec.encode(codec.decode(JSON.parse(node.createArgument))), node.createArgument)
      const { createArgument } = decodeContractBlob(node.blob)
      assert.equal(codec.encode(protobuf.decode(createArgument, type)), node.createArgument)
      return []
    }
    if (node.exerciseResult === undefined) return []
    const codec = json.codecFor(template.choices.get(node.choice)!.returnType)
    assert.equal(codec.encode(codec.decode(JSON.parse(node.exerciseResult))), node.exerciseResult)
    return [JSON.parse(node.exerciseResult)]
  })
}
