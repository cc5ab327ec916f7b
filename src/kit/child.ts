// The child process in which nodes run if their tests need an older Node: does what its parent (child-process.ts) asks
// for over the IPC channel, and ends with it. The operating system closes the channel, whatever ends the parent.
import { keepCompiledCode } from '../../bin/compile-cache.mjs'
import { type Timer, wallClock } from '../base/clock.ts'
import type { NodePlace, RunningNode, StartOptions } from './running-node.ts'

/** What a parent can ask for: each answer has the `id` of its request. */
export type Request = { readonly id: number } & (
  | { readonly start: StartOptions }
  | { readonly close: number }
  | { readonly isAlive: true }
  | { readonly tokenOf: string; readonly participantId: string; readonly node: number }
)
export type Answer = { readonly id: number } & (
  | { readonly started: NodePlace; readonly node: number }
  | { readonly token: string }
  | { readonly closed: true }
  | { readonly isAlive: true }
  | { readonly error: { readonly name: string; readonly message: string } }
)

/** Ends after so long without a node, because a test runner may forget this process with the modules of a test file. */
const idleMs = 3_000
/** Nodes that were not closed are closed in order, but not for longer. */
const endWithinMs = 5_000

const nodes = new Map<number, RunningNode>()
let lastNode = 0
let underWay = 0
let idle: Timer | undefined

// A terminal sends Ctrl-C to all processes. The test runner decides what it means, and may still use the nodes.
process.on('SIGINT', () => undefined)
process.on('disconnect', end)
process.on('message', (request: Request) => void serve(request))

async function serve(request: Request): Promise<void> {
  underWay += 1
  idle?.cancel()
  const answer: Answer = await answerTo(request).catch(({ name, message }: Error) => {
    return { id: request.id, error: { name, message } }
  })
  underWay -= 1
  if (process.connected) process.send?.(answer)
  if (nodes.size === 0 && underWay === 0) idle = wallClock.after(idleMs, () => process.disconnect?.())
}

async function answerTo(request: Request): Promise<Answer> {
  const { id } = request
  if ('start' in request) {
    await keepCompiledCode()
    const { startInProcess } = await import('./in-process.ts')
    const started = await startInProcess(request.start)
    const node = ++lastNode
    nodes.set(node, started)
    const { participants, token } = started
    return { id, node, started: { participants, token } }
  }
  if ('close' in request) {
    const node = nodes.get(request.close)
    nodes.delete(request.close)
    await node?.close()
    return { id, closed: true }
  }
  if ('isAlive' in request) return { id, isAlive: true }
  return { id, token: await nodes.get(request.node)!.issueToken(request.tokenOf, request.participantId) }
}

function end(): void {
  const exit = () => process.exit()
  wallClock.after(endWithinMs, exit)
  void Promise.allSettled([...nodes.values()].map((node) => node.close())).then(exit)
}
