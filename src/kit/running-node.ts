// A node as the test kit uses it, wherever it runs: in this process (in-process.ts) or in a child (child-process.ts).
// Everything else goes over HTTP.
import type { NodeOptions } from './api.ts'

/** Who submits, unless a token says otherwise. */
export const kitUser = 'test-kit'

/** Where a participant is. */
export type ParticipantPlace = {
  readonly name: string
  readonly url: string
  readonly grpcUrl?: string | undefined
  readonly participantId: string
}

/** Where a node is: plain data, which a child sends to its parent. */
export type NodePlace = {
  /** At least one. */
  readonly participants: readonly ParticipantPlace[]
  /** With all rights. */
  readonly token: string
}

/** What a node is started with. What is undefined is as its world file says, or one participant alone. */
export type StartOptions = NodeOptions & {
  readonly network?: {
    readonly participants?: readonly { readonly name: string; readonly synchronizers?: readonly string[] }[]
    readonly synchronizers?: readonly string[]
  }
}

export type RunningNode = NodePlace & {
  /** A token with the rights of a user of a participant. */
  issueToken(userId: string, participantId: string): Promise<string>
  close(): Promise<void>
  /** Why the node no longer runs, if nobody closed it. */
  whyGone(): Promise<string | undefined>
}

export type StartRunningNode = (options: StartOptions) => Promise<RunningNode>
