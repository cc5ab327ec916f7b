// Nodes in this process. They share the engine's threads.
import { Default } from 'typebox/value'
import { signToken } from '../auth/local-tokens.ts'
import { wallClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { type Settings, settingsSchema, synchronizersOf } from '../base/settings.ts'
import { createSharedThreads, type SharedThreads } from '../engine/pool/lazy-pool.ts'
import { instantFromText } from '../lf/codec/time-text.ts'
import { type Node, type Overrides, startNode } from '../node/node.ts'
import { kitUser, type RunningNode, type StartOptions, type StartRunningNode } from './running-node.ts'

const kitAudience = 'tallystick-test-kit'
const lifetimeMs = 24 * 3_600_000

/** Of all nodes of this process. They stay when the last node closes, because the next test starts another. */
let threads: SharedThreads | undefined

export const startInProcess: StartRunningNode = (options) =>
  start(options, (settings) => ({ settings, overrides: { threads: sharedThreads(settings) } }))

type ScriptLedgerParts = {
  readonly threads: SharedThreads
  /** The file of a ledger that it begins as a copy of. */
  readonly content?: Uint8Array | undefined
}

/** As the ledger of Daml's own tests: see `scriptLedger` of the settings. */
export const startScriptLedger = (options: StartOptions, parts: ScriptLedgerParts) =>
  start(options, (settings) => ({
    settings: forScripts(settings),
    overrides: { ...parts, hasQuickstart: false, isUnserved: true },
  }))

/** A script has a time-out of its own; on a slow machine, requests take what they need. */
const scriptRequestMs = 3_600_000

/** So does a test, and it would blame the application for a node that had no processor for some seconds. */
const testRequestMs = 240_000

async function start(
  options: StartOptions,
  adapt: (settings: Settings) => { readonly settings: Settings; readonly overrides: Overrides },
): Promise<RunningNode & Pick<Node, 'call'>> {
  const secret = systemRandom.bytes(32).toString('base64url')
  const { settings, overrides } = adapt(settingsFor(options, secret))
  const node = await startNode(settings, overrides)
  const own = { userId: kitUser, audience: kitAudience, lifetimeMs, nowMs: wallClock.nowMs() }
  return {
    participants: node.participants,
    call: node.call,
    token: await signToken(secret, own),
    issueToken: (userId, participantId) => node.issueToken!(userId, lifetimeMs, participantId),
    close: async () => node[Symbol.asyncDispose](),
    whyGone: async () => undefined,
  }
}

function sharedThreads(settings: Settings): SharedThreads {
  threads ??= createSharedThreads(settings, wallClock, true)
  return threads
}

function forScripts(settings: Settings): Settings {
  return {
    ...settings,
    scriptLedger: true,
    synchronizers: synchronizersOf(settings).slice(0, 1),
    limits: { ...settings.limits, requestTimeoutMs: scriptRequestMs },
  }
}

const known: ReadonlySet<string> = new Set([
  ...['dars', 'world', 'data', 'seed', 'time', 'port', 'grpcPort', 'logLevel', 'network'],
])

function settingsFor(options: StartOptions, secret: string): Settings {
  const { dars = [], world, data, seed, time = 'wall', port = 0, grpcPort, logLevel = 'silent' } = options
  const { participants, synchronizers } = options.network ?? {}
  const [unknown] = Object.keys(options).filter((name) => !known.has(name))

  if (unknown !== undefined) throw new Error(`there is no option ${unknown}; docs/testing.md lists them`)
  const key = {
    type: 'hs256',
    secret,
    targetAudience: kitAudience,
    privileged: 'wildcard',
    tokenLifetimeMaxMs: 'unlimited',
  }
  return Default(settingsSchema, {
    development: true,
    http: { port },
    grpc: { port: grpcPort ?? 'off' },
    store: data === undefined ? { kind: 'memory' } : { kind: 'sqlite', data },
    auth: { keys: [key] },
    time: timeFrom(time),
    limits: { requestTimeoutMs: testRequestMs },
    ...(seed !== undefined && { seed }),
    ...(world !== undefined && { world }),
    ...(participants !== undefined && { network: { participants } }),
    ...(synchronizers !== undefined && { synchronizers: synchronizers.map((alias) => ({ alias })) }),
    dars,
    log: { level: logLevel },
  }) as Settings
}

function timeFrom(time: string): object {
  if (time === 'wall' || time === 'static') return { kind: time }
  if (instantFromText(time) !== undefined) return { kind: 'static', start: time }
  throw new Error(`time: ${time} is neither wall nor static nor a time such as 2030-01-01T00:00:00Z`)
}
