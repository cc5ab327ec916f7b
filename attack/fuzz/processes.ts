// Distributes batches over two processes, each with a timeout: the parent detects an input that hangs a decoder.
import { type ChildProcess, fork } from 'node:child_process'
import { type Failure, failureOf, type Outcome, type Plan } from '../campaign.ts'
import { type BatchResult, batchInputs, runBatch } from './batch.ts'
import type { Done, Task } from './child.ts'
import type { Decoder } from './decoder.ts'

const processes = 2
/** A batch takes less than a second on an idle machine. */
const batchMsMax = 120_000
/** Smaller runs are not worth a process. */
const inProcessMax = 4 * batchInputs
const failuresMax = 10

export async function fuzz(decoder: Decoder, plan: Plan): Promise<Outcome> {
  const tasks = tasksFor(decoder, plan)
  const results: BatchResult[] = []
  if (plan.times <= inProcessMax) {
    for (const { seed, inputs } of tasks) results.push(await runBatch(decoder, seed, inputs))
  } else {
    await Promise.all(Array.from({ length: processes }, () => work(tasks, results, plan)))
  }
  const sum = (of: (result: BatchResult) => number) => results.reduce((total, result) => total + of(result), 0)
  const slowestMs = Math.max(...results.map((result) => result.slowestMs))
  return {
    times: sum(({ inputs }) => inputs),
    failures: results.flatMap(({ failures }) => failures).slice(0, failuresMax),
    note: `${sum(({ accepted }) => accepted)} accepted, slowest ${slowestMs.toFixed(0)} ms`,
  }
}

function tasksFor({ name }: Decoder, { seed, times }: Plan): Task[] {
  return Array.from({ length: Math.ceil(times / batchInputs) }, (_, index) => ({
    decoder: name,
    seed: seed + index,
    inputs: Math.min(batchInputs, times - index * batchInputs),
  }))
}

async function work(tasks: Task[], results: BatchResult[], { say }: Plan): Promise<void> {
  let child = start()
  try {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const done = await answerOf(child, task)
      results.push(done)
      if (child.exitCode !== null || child.signalCode !== null) child = start()
      if (results.length % 100 === 0) say(`${task.decoder}: ${results.length} batches`)
      if (results.flatMap(({ failures }) => failures).length >= failuresMax) return
    }
  } finally {
    child.disconnect()
  }
}

function start(): ChildProcess {
  return fork(new URL('./child.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** The result of a batch; a child that crashes or hangs is a failure of the batch. */
async function answerOf(child: ChildProcess, task: Task): Promise<BatchResult> {
  const { promise, resolve } = Promise.withResolvers<BatchResult>()
  const broken = (what: string) => resolve({ inputs: 0, accepted: 0, slowestMs: 0, failures: [failed(task, what)] })
  const exited = () => broken(`the process ended: ${child.signalCode ?? child.exitCode}`)
  const finished = (done: Done) => resolve(done)
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    broken(`a batch took over ${batchMsMax} ms`)
  }, batchMsMax)
  child.once('message', finished)
  child.once('exit', exited)
  child.send(task)
  const result = await promise
  clearTimeout(timer)
  child.off('message', finished)
  child.off('exit', exited)
  return result
}

function failed({ seed, inputs }: Task, what: string): Failure {
  return failureOf('broken', seed, what, inputs)
}
