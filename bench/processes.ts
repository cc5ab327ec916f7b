// Starts and stops the servers under measurement, each in its own process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Server = AsyncDisposable & {
  readonly pid: number
  readonly url: string
  /** Its standard output. */
  output(): string
  /** From the start of the process to its first answer. */
  readonly readyMs: number
}

type Environment = Readonly<Record<string, string>>

const root = fileURLToPath(new URL('..', import.meta.url))

export const tallystick = (...args: string[]) => tallystickOf(root, ...args)
export const tallystickOf = (checkout = root, ...args: string[]) => [join(checkout, 'bin', 'tallystick'), ...args]
export const baseline = (name: string, ...args: string[]) => [join(root, 'bench', 'baselines', name), ...args]

/** Starts a program that prints its URL once it listens, and requests `path` to see that it answers. */
export async function startServer(program: string[], path: string, environment: Environment = {}): Promise<Server> {
  const startedMs = performance.now()
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, program, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const url = /http:\/\/[\d.]+:\d+/.exec(await outputUntil(child, /http:\/\/[\d.]+:\d+\n/))![0]
  const response = await fetch(url + path)
  await response.arrayBuffer()
  const readyMs = performance.now() - startedMs
  if (!response.ok) throw new Error(`${program.join(' ')} answered ${response.status}`)
  return {
    pid: child.pid!,
    output: () => output,
    url,
    readyMs,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** User and system time of the children of a process that have ended; Linux only, in steps of 10 ms. */
export function endedChildrenCpuMs(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(afterName[13]) + Number(afterName[14])) * 10
}

/** User and system time of all threads of a process so far; Linux only, in steps of 10 ms. */
export function cpuMsOf(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(afterName[11]) + Number(afterName[12])) * 10
}

/** The same of a process and all that it started, also of those that have ended. */
export function cpuMsOfTree(pid: number): number {
  const afterName = whileItRuns(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' '))
  let cpuMs = 0
  for (const field of [11, 12, 13, 14]) cpuMs += Number(afterName?.[field] ?? 0) * 10
  for (const child of childrenOf(pid)) cpuMs += cpuMsOfTree(child)
  return cpuMs
}

function childrenOf(pid: number): number[] {
  const childrenBy = (thread: string) =>
    whileItRuns(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean)) ?? []
  return (whileItRuns(() => readdirSync(`/proc/${pid}/task`)) ?? []).flatMap(childrenBy).map(Number)
}

/** PostgreSQL's workers come and go: undefined for one that has ended meanwhile. */
function whileItRuns<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

async function outputUntil(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
      if (pattern.test(output)) resolve(output)
    })
    child.on('exit', () => reject(new Error(`the server ended: ${output}`)))
  })
}
