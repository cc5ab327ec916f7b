// Requests and results of interpretation as they cross threads: one text and one piece of memory each way. What is cloned
// as objects costs several times as much, and the main thread would pay for it with every command.
import { invalidArgument } from '../base/errors.ts'
import { nestingMax } from '../lf/codec/limits.ts'
import { int64 } from '../lf/values.ts'
import type { InterpretationRequest } from './interpreter.ts'
import { alone, contractAlone, type KnownContract } from './ledger-access.ts'
import type { Prepared } from './prepared-transaction.ts'
import type { CreatedContract, Effects, Served, ServedTransaction } from './served-transaction.ts'

export type PackedRequest = {
  /** All but the bytes. */
  readonly json: string
  readonly contracts: readonly KnownContract[]
  readonly replay?: Uint8Array
}

export function packRequest(request: InterpretationRequest): PackedRequest {
  const { seed, contracts, ledgerTime, preparationTime, replay, ...rest } = request
  const times = { ledgerTime: String(ledgerTime), preparationTime: String(preparationTime) }
  return {
    json: textOf({ ...rest, ...times, seed: Buffer.from(seed).toString('hex') }),
    contracts: contracts.map(contractAlone),
    ...(replay && { replay: alone(replay) }),
  }
}

/** What is nested too deep to be written is nested too deep for any value. */
function textOf(request: object): string {
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
  return {
    ...request,
    seed: Buffer.from(request.seed, 'hex'),
    contracts,
    ...(replay && { replay }),
    ledgerTime: int64(BigInt(request.ledgerTime)),
    preparationTime: int64(BigInt(request.preparationTime)),
  }
}

/** The transaction of a command, as it is kept and served. */
export type ServedInterpretation = Served & {
  readonly traces: readonly string[]
  readonly prepared: Prepared | undefined
}

export type PackedResult = {
  readonly facts: string
  /** All else but the bytes. */
  readonly json: string
  /** The body, and after it the blobs of what was created. */
  readonly bytes: Uint8Array
  readonly prepared: Prepared | undefined
}

type Rest = Omit<ServedTransaction, 'facts' | 'body'> &
  Omit<Effects, 'created'> & {
    readonly created: readonly (Omit<CreatedContract, 'blob'> & { readonly blobEnd: number })[]
    readonly bodyEnd: number
    readonly traces: readonly string[]
  }

export function packResult({ served, effects, traces, prepared }: ServedInterpretation): PackedResult {
  const { facts, body, ...ofServed } = served
  let end = body.length
  const created = effects.created.map(({ blob, ...contract }) => {
    end += blob.length
    return { ...contract, blobEnd: end }
  })
  const bytes = new Uint8Array(end)
  bytes.set(body)
  let start = body.length
  for (const { blob } of effects.created) {
    bytes.set(blob, start)
    start += blob.length
  }
  const rest: Rest = { ...ofServed, ...effects, created, bodyEnd: body.length, traces }
  return { facts, json: JSON.stringify(rest), bytes, prepared: prepared && preparedAlone(prepared) }
}

export function unpackResult({ facts, json, bytes, prepared }: PackedResult): ServedInterpretation {
  const rest = JSON.parse(json) as Rest
  const { parties, templates, seen, archived, inputContracts, keyInputs, packages, onlookers, traces } = rest
  const created: CreatedContract[] = []
  let start = rest.bodyEnd
  for (const { contractId, nodeId, template, stakeholders, isTransient, keyHash, pieces, blobEnd } of rest.created) {
    const blob = bytes.subarray(start, blobEnd)
    start = blobEnd
    created.push({ contractId, nodeId, template, stakeholders, isTransient, keyHash, pieces, blob })
  }
  return {
    served: { parties, templates, seen, ends: rest.ends, facts, body: bytes.subarray(0, rest.bodyEnd) },
    effects: { created, archived, inputContracts, keyInputs, packages, onlookers },
    traces,
    prepared,
  }
}

function preparedAlone({ transaction, hash }: Prepared): Prepared {
  return { transaction: alone(transaction), hash: alone(hash) }
}
