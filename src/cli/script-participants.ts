// The participants that a script of `tallystick script` talks to: one node, or those of a file.
import { readFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import type { GrpcAddress } from '../grpc/time-client.ts'
import { Unanswered } from '../script/failures.ts'
import type { Call, ParticipantNames } from '../script/participants.ts'
import { UsageError } from './command.ts'
import { createNodeClient, type NodeClient } from './node-client.ts'
import { addressOf } from './script-addresses.ts'

export type ScriptParticipants = {
  readonly names: ParticipantNames
  readonly call: Call
  /** For packages, and what else concerns the ledger as a whole. */
  readonly first: NodeClient
}

/** What holds for participants that say nothing else. */
export type Usual = { readonly token: string | undefined; readonly userId: string | undefined }

/** The URL of the JSON Ledger API at a host and a port. */
export type FindUrl = (host: string, port: number) => Promise<string>

type Access = {
  readonly url?: string
  readonly host?: string
  readonly port?: number
  readonly access_token?: string
  readonly user_id?: string
}

/** `grpc` is for what its JSON Ledger API lacks. */
type Place = { readonly node: NodeClient; readonly grpc: GrpcAddress | undefined }

/** Who submits without a token, as in `dpm script`. */
const usualUser = 'daml-script'

export function oneParticipant(
  node: NodeClient,
  hasToken: boolean,
  userId: string | undefined,
  grpc: GrpcAddress | undefined,
): ScriptParticipants {
  return {
    names: {
      hasDefault: true,
      names: [],
      participantsOfParties: {},
      userIds: [[undefined, userId ?? (hasToken ? '' : usualUser)]],
    },
    call: callingOn(() => ({ node, grpc })),
    first: node,
  }
}

/** `default_participant`, `participants` and `party_participants`, as `dpm script` has them. */
export async function participantsIn(file: string, usual: Usual, findUrl: FindUrl): Promise<ScriptParticipants> {
  const config = jsonIn(file)
  const accesses = new Map<string | undefined, Access>(Object.entries<Access>(config.participants ?? {}))
  if (config.default_participant) accesses.set(undefined, config.default_participant)
  const places = new Map<string | undefined, Place>()
  for (const [name, access] of accesses) {
    const token = access.access_token ?? usual.token
    const node = createNodeClient(await urlIn(access, file, findUrl), token)
    places.set(name, { node, grpc: grpcIn(access, token) })
  }
  const first = places.get(undefined) ?? [...places.values()][0]
  if (first === undefined) throw new UsageError(`${file} names no participant`)
  return {
    names: {
      hasDefault: places.has(undefined),
      names: [...places.keys()].filter((name) => name !== undefined),
      participantsOfParties: config.party_participants ?? {},
      userIds: [...accesses].map(([name, access]) => [name, userIdIn(access, usual)]),
    },
    call: callingOn((name) => places.get(name)!),
    first: first.node,
  }
}

/** A token says who submits. */
function userIdIn({ user_id, access_token }: Access, { token, userId }: Usual): string {
  return user_id ?? userId ?? ((access_token ?? token) === undefined ? usualUser : '')
}

function callingOn(placeOf: (name: string | undefined) => Place): Call {
  return async ({ participant, method, path, body }) => {
    const { node, grpc } = placeOf(participant)
    try {
      const answer = await node.exchange(method, path, body)
      if (path !== '/v2/time' || answer.status !== 404) return answer
      if (grpc !== undefined) {
        const { timeOverGrpc } = await import('../grpc/time-client.ts')
        return await timeOverGrpc(grpc, method, body)
      }
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      throw new Unanswered(error.message, 'StatusRuntimeException')
    }
    throw new Unanswered('the participant has its time only over gRPC: give its --ledger-host and --ledger-port, too')
  }
}

async function urlIn({ url, host, port }: Access, file: string, findUrl: FindUrl): Promise<string> {
  if (url !== undefined) return url
  if (host !== undefined && port !== undefined) return findUrl(host, port)
  throw new UsageError(`${file}: a participant needs a host and a port, or the url of its JSON Ledger API`)
}

/** Beside a URL, host and port are those of the gRPC API. */
function grpcIn({ url, host, port }: Access, token: string | undefined): GrpcAddress | undefined {
  if (url === undefined || host === undefined || port === undefined) return undefined
  return { url: addressOf(host, port, url.startsWith('https:')), token }
}

// biome-ignore lint/suspicious/noExplicitAny: the fields are checked where they are used.
function jsonIn(file: string): any {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new StartError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
