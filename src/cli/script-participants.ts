// The participants that a script of `tallystick script` talks to: one node, or those of a file.
import { readFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import { Unanswered } from '../script/failures.ts'
import type { Call, ParticipantNames } from '../script/participants.ts'
import { UsageError } from './command.ts'
import { createNodeClient, type NodeClient } from './node-client.ts'

export type ScriptParticipants = {
  readonly names: ParticipantNames
  readonly call: Call
  /** For packages, and what else concerns the ledger as a whole. */
  readonly first: NodeClient
  /** Undefined leaves it to the token. */
  readonly userId: string | undefined
}

type Access = { readonly url?: string; readonly host?: string; readonly port?: number; readonly access_token?: string }

export function oneParticipant(node: NodeClient, userId: string | undefined): ScriptParticipants {
  return {
    names: { hasDefault: true, names: [], participantsOfParties: {} },
    call: callingOn(() => node),
    first: node,
    userId,
  }
}

/** `default_participant`, `participants` and `party_participants`, as `dpm script` has them; ports are of the JSON API. */
export function participantsIn(
  file: string,
  token: string | undefined,
  userId: string | undefined,
): ScriptParticipants {
  const config = jsonIn(file)
  const nodes = new Map<string | undefined, NodeClient>()
  if (config.default_participant) nodes.set(undefined, nodeFor(config.default_participant, token, file))
  for (const [name, access] of Object.entries<Access>(config.participants ?? {})) {
    nodes.set(name, nodeFor(access, token, file))
  }
  const [first] = nodes.values()
  if (first === undefined) throw new UsageError(`${file} names no participant`)
  return {
    names: {
      hasDefault: nodes.has(undefined),
      names: [...nodes.keys()].filter((name) => name !== undefined),
      participantsOfParties: config.party_participants ?? {},
    },
    call: callingOn((name) => nodes.get(name)!),
    first,
    userId: userId ?? config.default_participant?.user_id,
  }
}

function callingOn(nodeNamed: (name: string | undefined) => NodeClient): Call {
  return async ({ participant, method, path, body }) => {
    try {
      return await nodeNamed(participant).exchange(method, path, body)
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      throw new Unanswered(error.message, 'StatusRuntimeException')
    }
  }
}

function nodeFor({ url, host, port, access_token }: Access, token: string | undefined, file: string): NodeClient {
  if (url === undefined && (host === undefined || port === undefined)) {
    throw new UsageError(`${file}: a participant needs a url, or a host and the port of its JSON API`)
  }
  return createNodeClient(url ?? `http://${host}:${port}`, access_token ?? token)
}

// biome-ignore lint/suspicious/noExplicitAny: the fields are checked where they are used.
function jsonIn(file: string): any {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new StartError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
