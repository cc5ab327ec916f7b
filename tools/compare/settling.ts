// Keeps the two ledgers in step: an asynchronous command is done on both sides before the next request, and the ends of the
// ledgers are known as a pair.
import { setTimeout as pause } from 'node:timers/promises'
import type { Correspondence } from './correspondence.ts'
import type { CompletionQuery, Side } from './side.ts'

export type Settling = {
  /** Both sides know what became of a command that they answered at once. */
  completed(ours: unknown, canton: unknown): Promise<void>
  /** Where the ledgers end now is the same place. */
  pair(): Promise<void>
  /**
   * Neither ledger goes on: Canton takes offsets after its answers, for what nobody sees. And what ours shows since it last
   * settled, Canton shows too: it delivers to other participants of a network when it can.
   */
  rest(): Promise<void>
  /** Where our ledger ended then. */
  end(): number
}

type Parts = {
  readonly ours: Side
  readonly canton: Side
  readonly ids: Correspondence
  readonly headers: (user?: string) => Readonly<Record<string, string>>
  /** How long a ledger that rests has not moved. */
  readonly restMs: number
  readonly isNetwork: boolean
}

/** Offsets of the same moment. */
type Pair = readonly [ours: number, canton: number]

/** A Canton that has just started takes long for its first command; one that waits for an absent participant, 30 s. */
const settleMs = 90_000
const pollMs = 20

export function createSettling({ ours, canton, ids, headers, restMs, isNetwork }: Parts): Settling {
  let last: Pair = [0, 0]

  async function waitFor(side: Side, since: number, body: unknown): Promise<void> {
    const query = completionQuery(body, since)
    const giveUp = Date.now() + settleMs
    while (query !== undefined && Date.now() < giveUp) {
      if (await side.hasCompleted(query, headers(query.request.userId))) return
      await pause(pollMs)
    }
  }

  async function ends(): Promise<Pair> {
    return await Promise.all([ours.end(headers()), canton.end(headers())])
  }

  function settled(pair: Pair): void {
    last = pair
    canton.settled(pair[1])
    ids.pairEnds(...pair)
  }

  async function isDelivered(now: Pair): Promise<boolean> {
    if (now[0] === last[0] || !isNetwork) return true
    const shown = await canton.updatesWithin([last[1], now[1]], headers())
    if (shown === Number.POSITIVE_INFINITY) return true
    return shown >= (await ours.updatesWithin([last[0], now[0]], headers()))
  }

  async function rest(): Promise<void> {
    let before = await ends()
    const giveUp = Date.now() + settleMs
    while (Date.now() < giveUp) {
      await pause(restMs)
      const now = await ends()
      const isStill = now[0] === before[0] && now[1] === before[1]
      if (isStill && (await isDelivered(now))) break
      before = now
    }
    settled(before)
  }

  return {
    async completed(mine, theirs) {
      await Promise.all([waitFor(ours, last[0], mine), waitFor(canton, last[1], theirs)])
    },
    pair: async () => settled(await ends()),
    rest,
    end: () => last[0],
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of several operations, right and wrong.
type Body = any

/** How to find the completion of what was submitted, in the terms of the node it was sent to. */
function completionQuery(sent: unknown, beginExclusive: number): CompletionQuery | undefined {
  const body: Body = typeof sent === 'string' ? JSON.parse(sent) : sent
  const commands: Body = body?.reassignmentCommands ?? body
  const signers = commands?.partySignatures?.signatures?.map((one: Body) => one.party)
  const parties = commands?.actAs ?? signers ?? [commands?.submitter]
  // With two submissions of a command, only the submission id tells which one has its completion.
  const id = commands?.submissionId || commands?.commandId || undefined
  if (!parties.every((party: unknown) => typeof party === 'string')) return undefined
  return { id, request: { userId: commands.userId ?? 'participant_admin', parties, beginExclusive } }
}
