// A node as the test kit uses it, wherever it runs: in this process (in-process.ts) or in a child (child-process.ts).
// Everything else goes over HTTP.
import type { NodeOptions } from './api.ts'

/** Who submits, unless a token says otherwise. */
export const kitUser = 'test-kit'

/** Where a node is: plain data, which a child sends to its parent. */
export type NodePlace = {
  readonly url: string
  readonly grpcUrl?: string | undefined
  readonly participantId: string
  /** With all rights. */
  readonly token: string
}

export type RunningNode = NodePlace & {
  /** A token with the rights of a user. */
  issueToken(userId: string): Promise<string>
  close(): Promise<void>
  /** Why the node no longer runs, if nobody closed it. */
  whyGone(): Promise<string | undefined>
}

export type StartRunningNode = (options: NodeOptions) => Promise<RunningNode>
