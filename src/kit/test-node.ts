// The test kit: a node in the user's process, and the few functions that every test of an application needs.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Default } from 'typebox/value'
import { signToken } from '../auth/local-tokens.ts'
import { wallClock } from '../base/clock.ts'
import { errorAnswerOf, errorWords, hintHeader } from '../base/error-words.ts'
import { randomUuid, systemRandom } from '../base/random.ts'
import { type Settings, settingsSchema } from '../base/settings.ts'
import { createSharedThreads, type SharedThreads } from '../engine/pool/lazy-pool.ts'
import { startNode as startWholeNode } from '../node/node.ts'
import type { Acting, Contract, NodeOptions, Refusal, Rights, TemplateRef, TestNode } from './api.ts'

const kitUser = 'test-kit'
const kitAudience = 'tallystick-test-kit'
const lifetimeMs = 24 * 3_600_000

/** Of all nodes of this process. They stay when the last node closes, because the next test starts another. */
let threads: SharedThreads | undefined

export async function startNode(options: NodeOptions = {}): Promise<TestNode> {
  const secret = systemRandom.bytes(32).toString('base64url')
  const settings = settingsFor(options, secret)
  threads ??= createSharedThreads(settings, wallClock, true)
  const node = await startWholeNode(settings, { threads })
  const own = { userId: kitUser, audience: kitAudience, lifetimeMs, nowMs: wallClock.nowMs() }
  const headers = { authorization: `Bearer ${await signToken(secret, own)}`, 'content-type': 'application/json' }

  /** The number of the last rejection before the present ledger. */
  let forgotten = 0

  async function call(method: string, path: string, body?: unknown): Promise<Json> {
    const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body)
    const init = { method, headers, ...(sent !== undefined && { body: sent as string }) }
    const response = await fetch(`${node.url}${path}`, init)
    const text = await response.text()
    if (!response.ok) throw refusal(response.status, text, response.headers.get(hintHeader))
    return text === '' ? undefined : JSON.parse(text)
  }

  async function submit(commands: object | readonly object[], acting: Acting): Promise<Json> {
    checkActing(acting)
    const { commandId = randomUuid(systemRandom), disclosedContracts = [] } = acting
    const [actAs, readAs] = [listed(acting.actAs), listed(acting.readAs)]
    const all = Array.isArray(commands) ? commands : [commands]
    const eventFormat = { filtersByParty: Object.fromEntries([...actAs, ...readAs].map((party) => [party, {}])) }
    const answer = await call('POST', '/v2/commands/submit-and-wait-for-transaction', {
      commands: { commandId, userId: kitUser, actAs, readAs, commands: all, disclosedContracts },
      transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    })
    return answer.transaction
  }

  /** Faults and the journal belong to the node, not to its ledger: one test must not meet those of another. */
  async function forget(): Promise<void> {
    await call('DELETE', '/dev/faults')
    const past: Json[] = await call('GET', `/dev/rejections?after=${forgotten}`)
    forgotten = past.at(-1)?.number ?? forgotten
  }

  return {
    url: node.url,
    participantId: node.participantId,
    call,
    submit,
    async party(hint) {
      const id = `${hint}::${node.participantId.slice(node.participantId.indexOf('::') + 2)}`
      const known = await call('GET', `/v2/parties/${encodeURIComponent(id)}`)
      if (known.partyDetails.length > 0) return id
      return (await call('POST', '/v2/parties', { partyIdHint: hint })).partyDetails.party
    },
    async token(rights) {
      const { userId = `user-${randomUuid(systemRandom)}` } = rights
      await call('POST', '/v2/users', { user: { id: userId }, rights: rightsOf(rights) })
      return node.issueToken!(userId, lifetimeMs)
    },
    async upload(dar, { replace = false } = {}) {
      const bytes = typeof dar === 'string' ? new Uint8Array(await readFile(dar)) : dar
      await call('POST', replace ? '/dev/dars' : '/v2/packages', bytes)
    },
    async create(template, createArguments, acting) {
      const { events } = await submit({ CreateCommand: { templateId: idOf(template), createArguments } }, acting)
      return contractOf(events[0].CreatedEvent)
    },
    async exercise(template, contractId, choice, choiceArgument, acting) {
      const command = { templateId: idOf(template), contractId, choice, choiceArgument }
      const { events } = await submit({ ExerciseCommand: command }, acting)
      return events[0].ExercisedEvent.exerciseResult
    },
    async contracts<T extends TemplateRef>(template: T, parties?: string | readonly string[]) {
      const { offset: activeAtOffset } = await call('GET', '/v2/state/ledger-end')
      const filter = { identifierFilter: { TemplateFilter: { value: { templateId: idOf(template) } } } }
      const filters = { cumulative: [filter] }
      const eventFormat =
        parties === undefined
          ? { filtersForAnyParty: filters }
          : { filtersByParty: Object.fromEntries(listed(parties).map((party) => [party, filters])) }
      return pagesOf((pageToken) =>
        call('POST', '/v2/state/active-contracts-page', { activeAtOffset, eventFormat, pageToken }),
      )
    },
    async snapshot(name = '') {
      return (await call('POST', '/dev/snapshots', { name })).snapshot.name
    },
    async restore(name) {
      await call('POST', `/dev/snapshots/${encodeURIComponent(name)}/restore`)
      await forget()
    },
    async reset() {
      await call('POST', '/dev/reset')
      await forget()
    },
    advanceTime: async (advance) => (await call('POST', '/dev/time', { advance })).currentTime,
    time: async () => (await call('GET', '/v2/time')).currentTime,
    orderFault: async (order) => (await call('POST', '/dev/faults', order)).fault.id,
    cancelFaults: (id) => call('DELETE', id === undefined ? '/dev/faults' : `/dev/faults/${id}`),
    rejections: () => call('GET', `/dev/rejections?after=${forgotten}`),
    async close() {
      await node[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
type Json = any

function settingsFor(
  { dars = [], data, seed, staticTime, port = 0, logLevel = 'silent' }: NodeOptions,
  secret: string,
): Settings {
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
    store: data === undefined ? { kind: 'memory' } : { kind: 'sqlite', data },
    auth: { keys: [key] },
    ...(staticTime !== undefined && { time: { kind: 'static', start: staticTime } }),
    ...(seed !== undefined && { seed }),
    dars: dars.map((dar) => resolve(dar)),
    log: { level: logLevel },
  }) as Settings
}

async function pagesOf<T>(page: (token: string) => Promise<Json>): Promise<readonly Contract<T>[]> {
  const contracts: Contract<T>[] = []
  let token = ''
  do {
    const { activeContracts, nextPageToken } = await page(token)
    for (const { contractEntry } of activeContracts) {
      const { createdEvent } = contractEntry.JsActiveContract ?? {}
      if (createdEvent !== undefined) contracts.push(contractOf(createdEvent))
    }
    token = nextPageToken ?? ''
  } while (token !== '')
  return contracts
}

function contractOf<T>({ contractId, templateId, createArgument, signatories, observers, offset }: Json): Contract<T> {
  return { contractId, templateId, payload: createArgument, signatories, observers, offset }
}

function idOf(template: TemplateRef): string {
  return typeof template === 'string' ? template : template.templateId
}

function listed(parties: string | readonly string[] = []): readonly string[] {
  return typeof parties === 'string' ? [parties] : parties
}

/** The types say so, too, but tests in JavaScript have none. */
function checkActing(acting: Acting | undefined): void {
  if (listed(acting?.actAs).length > 0) return
  throw new TypeError('a command needs actAs: pass the parties that act as the last argument, such as { actAs: alice }')
}

function rightsOf({ actAs, readAs, admin = false }: Rights): object[] {
  const kinds = [
    ...listed(actAs).map((party) => ({ CanActAs: { value: { party } } })),
    ...listed(readAs).map((party) => ({ CanReadAs: { value: { party } } })),
    ...(admin ? [{ ParticipantAdmin: { value: {} } }] : []),
  ]
  return kinds.map((kind) => ({ kind }))
}

function refusal(status: number, text: string, hintInHeader: string | null): Refusal {
  const answer = errorAnswerOf(text, hintInHeader)
  const { code = '', hint, context } = answer
  return Object.assign(new Error(errorWords(code === '' ? { ...answer, code: String(status) } : answer)), {
    status,
    code,
    hint,
    context,
  })
}
