// A node in its own process, as an operator runs it, with users for an attacker and a bystander.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signWith } from '../../test/fixtures/issuer.ts'
import { right } from '../../test/fixtures/ledger.ts'
import { launch } from '../../test/fixtures/process.ts'
import type { Account } from './account.ts'

// biome-ignore lint/suspicious/noExplicitAny: campaigns look into answers freely.
export type Json = any
export type Reply = { readonly status: number; readonly text: string; readonly json: Json }

export type Target = AsyncDisposable & {
  readonly url: string
  /** If its settings ask for gRPC. */
  readonly grpcUrl: string | undefined
  readonly port: number
  readonly pid: number
  /** The data folder. */
  readonly folder: string
  readonly admin: string
  /** Acts only for its own party. */
  readonly bystander: Account
  /** A user with few rights and bad intentions. */
  readonly attacker: Account
  tokenFor(userId: string): Promise<string>
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
  /** Its standard error so far. */
  log(): string
  /** The most it ever took. */
  memoryMiB(): number
  memoryNowMiB(): number
  /** Throws unless it runs, is ready, and logged no bug. */
  checkWell(): Promise<void>
}

export type CallOptions = {
  /** The administrator's by default. */
  readonly token?: string | null
  readonly body?: unknown
  readonly signal?: AbortSignal
}

const secret = 'the campaigns sign with this secret, which nobody else has'
const quickstart = fileURLToPath(new URL('../../packages/quickstart/quickstart.dar', import.meta.url))
const lifetimeSeconds = 240
const lifetimeMsMax = 180_000
/** A shared disk may stall longer than any attack; attacks on the disk are other campaigns. */
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export type TargetOptions = {
  /** As environment variables. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where it keeps its ledger; a new folder by default. */
  readonly store?: readonly string[]
}

export async function startTarget({ settings = {}, store }: TargetOptions = {}): Promise<Target> {
  await using parts = new AsyncDisposableStack()
  const folder = parts.use(mkdtempDisposableSync(join(memoryFolder, 'tallystick-attack-')))
  const args = [
    'start',
    '--port',
    '0',
    ...(store ?? ['--data', folder.path]),
    '--log-level',
    'warn',
    '--dar',
    quickstart,
  ]
  const environment = { TALLYSTICK_AUTH_KEYS: JSON.stringify([{ type: 'hs256', secret }]), ...settings }
  const child = launch(args, environment, lifetimeMsMax)
  prefer(child.process.pid!)
  const closed = once(child.process, 'close')
  parts.defer(async () => {
    child.process.kill('SIGKILL')
    await closed
  })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  child.process.stdout!.on('data', () => /ready in/.test(child.output()) && resolve())
  child.process.on('close', () => reject(new Error(`it ended: ${child.errors()}`)))
  await ready
  ready.catch(() => undefined)
  const url = /url +(\S+)/.exec(child.output())![1]!
  const grpcUrl = /grpc +(http\S+)/.exec(child.output())?.[1]
  const tokenFor = (sub: string) => {
    const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds
    return signWith(Buffer.from(secret), { alg: 'HS256' }, { sub, scope: 'daml_ledger_api', exp })
  }
  const admin = await tokenFor('participant_admin')

  async function call(method: string, path: string, { token = admin, body, signal }: CallOptions = {}): Promise<Reply> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: encoded(body) }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    return { status: response.status, text, json: parsed(text) }
  }

  async function account(userId: string): Promise<Account> {
    const { json } = await call('POST', '/v2/parties', { body: { partyIdHint: userId } })
    const { party } = json.partyDetails
    const rights = [right('CanActAs', party)]
    const created = await call('POST', '/v2/users', { body: { user: { id: userId }, rights } })
    assert.equal(created.status, 200, created.text)
    return { userId, token: await tokenFor(userId), party }
  }

  const [bystander, attacker] = [await account('bystander'), await account('attacker')]
  const owned = parts.move()
  const { pid } = child.process
  return {
    ...{
      url,
      grpcUrl,
      port: Number(new URL(url).port),
      pid: pid!,
      folder: folder.path,
      admin,
      bystander,
      attacker,
      tokenFor,
      call,
    },
    log: () => child.errors(),
    memoryMiB: () => memoryIn('VmHWM', pid!),
    memoryNowMiB: () => memoryIn('VmRSS', pid!),
    async checkWell() {
      assert.equal(child.process.exitCode ?? child.process.signalCode, null, `it ended: ${child.errors()}`)
      assert.doesNotMatch(child.errors(), /"level":(50|60)/, 'the node found a bug in itself')
      assert.equal((await call('GET', '/readyz', { token: null })).status, 200, 'it is not ready')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/**
 * Raises the priority of the node, if the account may, so that other load on the machine does not count. The attacker
 * keeps the normal priority.
 */
export function prefer(pid: number): void {
  try {
    setPriority(pid, -10)
  } catch {
    // This account may not.
  }
}

function memoryIn(field: 'VmHWM' | 'VmRSS', pid: number): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(statusOf(pid))?.[1] ?? 0) / 1024
}

/** Without such a file, memory is not watched. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

function encoded(body: unknown): string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body)
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
