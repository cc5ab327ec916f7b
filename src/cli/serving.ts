// How a command serves a node until somebody stops it, or until it can no longer work.
import { StartError, StopError } from '../base/errors.ts'
import type { Node } from '../node/node.ts'
import type { Surroundings } from './command.ts'

/** Ends the process at once if a part of the node does not stop. */
export async function serving(serve: () => Promise<void>, { exit }: Pick<Surroundings, 'exit'>): Promise<void> {
  try {
    await serve()
  } catch (error) {
    if (!(error instanceof StopError)) throw error
    exit(1) // The log has named the part that hangs. Everything that was confirmed is on disk.
  }
}

export async function untilStoppedOrLost(stopped: Promise<unknown>, node: Pick<Node, 'lost'>): Promise<void> {
  const lost = await Promise.race([stopped.then(() => undefined), node.lost])
  if (lost !== undefined) throw new StartError(lost)
}
