// Requests and results of interpretation as they cross threads: a few texts each way. Cloning objects or views of
// memory costs several times as much, and the main thread would pay for it with every command.
import { invalidArgument } from '../../base/errors.ts'
import type { InformeeTree } from '../../events/format/transaction-projection.ts'
import type { CreatedContract, ServedTransaction } from '../../events/format/transaction-writing.ts'
import { nestingMax } from '../../lf/codec/value-error.ts'
import { int64 } from '../../lf/values/values.ts'
import type { InterpretationRequest } from '../interpreter.ts'
import { alone, contractAlone, type KnownContract } from '../ledger-access.ts'
import type { PartyRole } from '../requests/party-roles.ts'
import type { Prepared } from '../requests/prepared-transaction.ts'
import type { LedgerEffects, Served } from '../requests/served-transaction.ts'

export type PackedRequest = {
  /** Everything but the bytes. */
  readonly json: string
  readonly contracts: readonly KnownContract[]
  readonly replay: Uint8Array | undefined
}

export function packRequest(request: InterpretationRequest): PackedRequest {
  const { commands, actAs, readAs, prefetchKeys, participantId, packagePreference } = request
  const json = textOf({
    commands,
    actAs,
    readAs,
    prefetchKeys,
    ledgerTime: String(request.ledgerTime),
    preparationTime: String(request.preparationTime),
    seed: Buffer.from(request.seed).toString('hex'),
    participantId,
    protocolVersion: request.protocolVersion,
    packagePreference,
    preparation: request.preparation,
    explains: request.explains,
    isShared: request.isShared,
  })
  return { json, contracts: request.contracts.map(contractAlone), replay: request.replay && alone(request.replay) }
}

/** All fields of a request but the bytes. JSON nested too deep to be written is too deep for any value. */
function textOf(request: Record<Exclude<keyof InterpretationRequest, keyof PackedRequest>, unknown>): string {
  try {
    return JSON.stringify(request)
  } catch (error) {
    if (error instanceof RangeError)
      throw invalidArgument(`Provided value exceeds maximum nesting level of ${nestingMax}`)
    throw error
  }
}

export function unpackRequest({ json, contracts, replay }: PackedRequest): InterpretationRequest {
  const request = JSON.parse(json)
  request.seed = Buffer.from(request.seed, 'hex')
  request.contracts = contracts
  request.ledgerTime = int64(BigInt(request.ledgerTime))
  request.preparationTime = int64(BigInt(request.preparationTime))
  if (replay !== undefined) request.replay = replay
  return request
}

/** The transaction of a command, as it is stored and served. */
export type ServedInterpretation = Served & {
  readonly traces: readonly string[]
  readonly prepared: Prepared | undefined
  /** Set if the request `explains`. */
  readonly account?: string | undefined
}

export type PackedResult = {
  readonly facts: string
  /** Everything else but the bytes. */
  readonly json: string
  /** The body, followed by the blobs of created contracts. In a string, each character stands for a byte. */
  readonly bytes: string | Uint8Array
  readonly prepared: Prepared | undefined
  readonly account: string | undefined
}

/** More is sent as memory: a thread must not allocate much of its heap at once (steps.ts). */
const textBytesMax = 64 * 1024

/** A tuple, because field names would take a third of the time on both sides. */
type Rest = readonly [
  parties: ServedTransaction['parties'],
  templates: ServedTransaction['templates'],
  seen: ServedTransaction['seen'],
  ends: ServedTransaction['ends'],
  bodyEnd: number,
  bodyBytes: number | null,
  created: readonly PackedContract[],
  archived: LedgerEffects['archived'],
  inputContracts: LedgerEffects['inputContracts'],
  views: LedgerEffects['views'],
  laterInput: string | null,
  keyInputs: LedgerEffects['keyInputs'],
  packages: LedgerEffects['packages'],
  onlookers: LedgerEffects['onlookers'],
  fetched: number,
  lookedUp: number,
  traces: readonly string[],
  tree: InformeeTree | null,
  roles: readonly PartyRole[] | null,
]

type PackedContract = readonly [
  contractId: string,
  nodeId: number,
  template: number,
  stakeholders: CreatedContract['stakeholders'],
  isTransient: boolean,
  keyHash: string | null,
  pieces: CreatedContract['pieces'],
  blobEnd: number,
]

export function packResult({ served, effects, traces, prepared, account }: ServedInterpretation): PackedResult {
  const { parties, templates, seen, ends, facts, body } = served
  const { archived, inputContracts, views, laterInput, keyInputs, packages, onlookers, fetched, lookedUp } = effects
  const { tree = null, roles = null } = effects
  const parts = [body]
  let end = body.length
  const created = effects.created.map((contract): PackedContract => {
    const { contractId, nodeId, template, stakeholders, isTransient, keyHash = null, pieces, blob } = contract
    parts.push(blob)
    end += blob.length
    return [contractId, nodeId, template, stakeholders, isTransient, keyHash, pieces, end]
  })
  const bytes = end > textBytesMax ? alone(Buffer.concat(parts)) : binaryText(parts)
  const rest: Rest = [
    parties,
    templates,
    seen,
    ends,
    body.length,
    served.bodyBytes ?? null,
    created,
    archived,
    inputContracts,
    views,
    laterInput?.toString() ?? null,
    keyInputs,
    packages,
    onlookers,
    fetched,
    lookedUp,
    traces,
    tree,
    roles,
  ]
  return { facts, json: JSON.stringify(rest), bytes, prepared: prepared && preparedAlone(prepared), account }
}

export function unpackResult({ facts, json, bytes: sent, prepared, account }: PackedResult): ServedInterpretation {
  const [
    parties,
    templates,
    seen,
    ends,
    bodyEnd,
    bodyBytes,
    packed,
    archived,
    inputContracts,
    views,
    laterInput,
    keyInputs,
    packages,
    onlookers,
    fetched,
    lookedUp,
    traces,
    tree,
    roles,
  ] = JSON.parse(json) as Rest
  const bytes = typeof sent === 'string' ? Buffer.from(sent, 'latin1') : sent
  let start = bodyEnd
  const created = packed.map((contract): CreatedContract => {
    const [contractId, nodeId, template, stakeholders, isTransient, keyHash, pieces, blobEnd] = contract
    const blob = bytes.subarray(start, blobEnd)
    start = blobEnd
    return { contractId, nodeId, template, stakeholders, isTransient, keyHash: keyHash ?? undefined, pieces, blob }
  })
  return {
    served: {
      parties,
      templates,
      seen,
      ends,
      facts,
      body: bytes.subarray(0, bodyEnd),
      ...(bodyBytes !== null && { bodyBytes }),
    },
    effects: {
      created,
      archived,
      inputContracts,
      views,
      keyInputs,
      packages,
      onlookers,
      fetched,
      lookedUp,
      laterInput: laterInput === null ? undefined : BigInt(laterInput),
      ...(tree !== null && { tree }),
      ...(roles !== null && { roles }),
    },
    traces,
    prepared,
    account,
  }
}

function binaryText(parts: readonly Uint8Array[]): string {
  let text = ''
  for (const { buffer, byteOffset, length } of parts) text += Buffer.from(buffer, byteOffset, length).toString('latin1')
  return text
}

function preparedAlone({ transaction, hash }: Prepared): Prepared {
  return { transaction: alone(transaction), hash: alone(hash) }
}
