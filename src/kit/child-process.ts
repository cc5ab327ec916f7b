// Nodes in a child process on the runtime of the package (bin/runtime.mjs), for tests that run on an older Node. All nodes
// of this process share one child, and with it the engine's threads. It ends with this process, whatever ends that.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isMusl, muslHint, oldestMajor, runtimePath } from '../../bin/runtime.mjs'
import type { Answer, Request } from './child.ts'
import type { StartRunningNode } from './running-node.ts'

const entry = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './kit-child.mjs', import.meta.url),
)

export const isOlderNode = Number.parseInt(process.versions.node, 10) < oldestMajor

/** The first time, it may have to be fetched; that takes longer than a test may, so do it outside of tests. */
export function findRuntime(): string {
  return isOlderNode ? runtimePath() : process.execPath
}

let shared: Child | undefined

export const startInChild: StartRunningNode = async (options) => {
  const [child, answer] = await startIn(options).catch((error) => {
    if (error instanceof IdleEnd) return startIn(options) // It ended just when it was needed again.
    throw error
  })
  const { node, started } = answer
  child.use()
  let isClosed = false
  return {
    ...started,
    async issueToken(tokenOf, participantId) {
      return (await child.ask<{ token: string }>({ tokenOf, participantId, node })).token
    },
    async close() {
      if (isClosed) return
      isClosed = true
      try {
        await child.ask({ close: node })
      } catch (error) {
        if (child.whyGone() === undefined) throw error
      } finally {
        child.release()
      }
    },
    // A connection may be refused before this process learns that the child has ended.
    whyGone: () =>
      child.ask({ isAlive: true }).then(
        () => undefined,
        () => child.whyGone(),
      ),
  }
}

type Started = Extract<Answer, { started: unknown }>

async function startIn(options: Parameters<StartRunningNode>[0]): Promise<[Child, Started]> {
  if (shared === undefined || shared.whyGone() !== undefined) shared = launch()
  const child = shared
  return [child, await child.ask<Started>({ start: options })]
}

/** The child had no node for a while, and ended. */
class IdleEnd extends Error {}

type Question = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never

type Child = {
  ask<A>(question: Question): Promise<A>
  /** While it is used, this process stays alive, as with a node of its own. */
  use(): void
  release(): void
  whyGone(): string | undefined
}

function launch(): Child {
  const runtime = findRuntime()
  const child = spawn(runtime, [entry], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: environment(),
    windowsHide: true,
  })
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  let questions = 0
  let uses = 0
  let gone: string | undefined

  function use(): void {
    uses += 1
    if (uses === 1) keepAlive(child, true)
  }
  function release(): void {
    uses -= 1
    if (uses === 0) keepAlive(child, false)
  }
  function end(error: Error): void {
    if (gone !== undefined) return
    gone = error.message
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  keepAlive(child, false)
  child.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) asked?.reject(errorFrom(answer.error))
    else asked?.resolve(answer)
  })
  child.on('error', (error) => end(new Error(`cannot start ${runtime}: ${isMusl() ? muslHint : error.message}`)))
  child.on('exit', (code, signal) => {
    if (code === 0) end(new IdleEnd('the process of the node has ended'))
    else end(new Error(`the process of the node has ended (${signal ?? `exit code ${code}`})`))
  })

  return {
    use,
    release,
    whyGone: () => gone,
    async ask<A>(question: Question): Promise<A> {
      if (gone !== undefined) throw new Error(gone)
      use()
      try {
        return await new Promise((resolve, reject) => {
          const id = ++questions
          waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
          child.send({ id, ...question }, () => undefined) // If it fails, the child has ended: see 'exit'.
        })
      } finally {
        release()
      }
    },
  }
}

/** Without what is meant for the Node of the tests: options that Node 26 may not have, hooks, coverage. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...rest } = process.env
  return rest
}

function keepAlive(child: ChildProcess, isAlive: boolean): void {
  if (isAlive) child.ref()
  else child.unref()
  if (isAlive) child.channel?.ref()
  else child.channel?.unref()
}

function errorFrom({ name, message }: { name: string; message: string }): Error {
  return Object.assign(new Error(message), { name })
}
