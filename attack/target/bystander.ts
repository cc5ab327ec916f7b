// How long others wait during an attack: a bystander in its own process, minus the stalls of the machine.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Sample, Watched, Watching } from './bystander-process.ts'
import { prefer, type Target } from './target.ts'

export type Bystander = AsyncDisposable & {
  /** Stops measuring. */
  finish(): Promise<Delays>
}

export type Delays = {
  /** The longest wait that the machine did not cause, and the request. */
  readonly longestMs: number
  readonly operation: string
  /** The longest wait for each operation. */
  readonly byOperation: Readonly<Record<string, number>>
  readonly medianMs: number
  readonly asked: number
  /** Statuses other than 200; 0 if there was no answer. */
  readonly refusals: readonly number[]
}

/** A stall of the machine within this time of a request may have delayed it. */
const nearMs = 100

export async function startBystander({ url, folder, bystander: account }: Target): Promise<Bystander> {
  await using parts = new AsyncDisposableStack()
  const echo = parts.adopt(started('./echo-process.ts', folder), ended)
  const port = (await messageOf(echo)) as number
  const watcher = parts.adopt(started('./bystander-process.ts'), ended)
  watcher.send({ url, echoUrl: `http://127.0.0.1:${port}/`, account } satisfies Watching)
  await messageOf(watcher) // Warmed up.
  const owned = parts.move()
  return {
    async finish() {
      watcher.send('stop')
      const watched = (await messageOf(watcher)) as Watched
      await owned.disposeAsync()
      return delaysIn(watched)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function started(file: string, ...args: string[]): ChildProcess {
  const child = fork(new URL(file, import.meta.url), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  prefer(child.pid!)
  return child
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    const fail = () => reject(new Error(`${child.spawnargs.at(-1)} ended: ${child.signalCode ?? child.exitCode}`))
    child.once('close', fail) // After its last message, which may be read later than its end is known.
  })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function delaysIn({ samples, echoes }: Watched): Delays {
  assert.ok(samples.length > 0, 'the bystander was answered')
  const own = samples.map((sample) => ({ sample, ms: sample.tookMs - stallNear(sample, echoes) }))
  const worst = own.reduce((a, b) => (b.ms > a.ms ? b : a))
  const sorted = samples.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  return {
    longestMs: Math.max(0, worst.ms),
    operation: worst.sample.operation,
    byOperation: longestByOperation(own),
    medianMs: sorted[Math.floor(sorted.length / 2)]!,
    asked: samples.length,
    refusals: samples.map(({ status }) => status).filter((status) => status !== 200),
  }
}

function longestByOperation(own: readonly { sample: Sample; ms: number }[]): Record<string, number> {
  const longest: Record<string, number> = {}
  for (const { sample, ms } of own) {
    longest[sample.operation] = Math.round(Math.max(longest[sample.operation] ?? 0, ms))
  }
  return longest
}

/** The longest echo of the same kind during the request. */
function stallNear({ method, atMs, tookMs }: Sample, echoes: readonly Sample[]): number {
  const same = echoes.filter((echo) => echo.method === method)
  const near = same.filter((echo) => echo.atMs + echo.tookMs >= atMs - nearMs && echo.atMs <= atMs + tookMs + nearMs)
  return near.reduce((longest, echo) => Math.max(longest, echo.tookMs), 0)
}
