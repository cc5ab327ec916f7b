// The table of common mistakes: a development node answers each with Canton's words and a hint beside them; any other
// node, with the same code and words and without a trace of a hint.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { signToken } from '../../src/auth/local-tokens.ts'
import { effectsDar, keys, keysDar, quickstart } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'
import { quickstartDar } from '../fixtures/rebuilt-dar.ts'
import { type Mistake, mistakes, type Request, type Stage } from './mistakes.cases.ts'

const secret = 'x'.repeat(32)
const audience = 'tallystick'

type Refusal = {
  readonly code: string | number
  readonly cause: string
  readonly text: string
  readonly hints: unknown[]
}

async function setUp(isDevelopment: boolean): Promise<{ node: TestNode; stage: Stage }> {
  const key = { type: 'hs256', secret, targetAudience: audience } as const
  const dars = [quickstartDar, effectsDar, keysDar]
  const node = await startTestNode({
    settings: {
      development: isDevelopment,
      hints: isDevelopment,
      auth: { keys: [key] },
      dars,
      synchronizers: [{ alias: 'global', priority: 0 }],
    },
  })
  const tokenFor = (userId: string, of: { audience?: string; secret?: string; lifetimeMs?: number } = {}) =>
    signToken(of.secret ?? secret, { userId, audience, lifetimeMs: 240_000, nowMs: Date.now(), ...of })
  const admin = await tokenFor('participant_admin')
  const call = async (path: string, body?: unknown, token = admin) => {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await node.call(method, path, { token, ...(body !== undefined && { body }) })
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const partyOf = async (partyIdHint: string) => (await call('/v2/parties', { partyIdHint })).partyDetails.party
  const [alice, bob, alicia] = [await partyOf('alice'), await partyOf('bob'), await partyOf('alicia')]
  const userFor = async (id: string, party: string) => {
    await call('/v2/users', { user: { id }, rights: [{ kind: { CanActAs: { value: { party } } } }] })
    return tokenFor(id)
  }
  const [app, bobby] = [await userFor('app', alice), await userFor('bobby', bob)]
  const submit = async (commandId: string, command: object) => {
    const commands = { commandId, actAs: [alice], commands: [command] }
    return (await call('/v2/commands/submit-and-wait-for-transaction', { commands }, app)).transaction
  }
  const createArguments = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  const create = { CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }
  const created = await submit('first', create)
  const contractId = created.events[0].CreatedEvent.contractId
  const archivedId = (await submit('second', create)).events[0].CreatedEvent.contractId
  const exercise = { templateId: '#quickstart:Iou:Iou', contractId: archivedId, choice: 'Archive', choiceArgument: {} }
  const archived = await submit('third', { ExerciseCommand: exercise })
  const unvet = { operation: { Unvet: { value: { packages: [{ packageId: keys }] } } } }
  await call('/v2/package-vetting/update', { changes: [unvet] })
  await call('/v2/pruning', { pruneUpTo: 1 })
  const badTokens = {
    expired: await tokenFor('app', { lifetimeMs: -3_600_000 }),
    otherAudience: await tokenFor('app', { audience: 'another' }),
    otherSecret: await tokenFor('app', { secret: 'y'.repeat(32) }),
    unknownUser: await tokenFor('nobody'),
  }
  const stage: Stage = {
    ...{ alice, bob, alicia, quickstart, contractId, archivedId, badTokens },
    ...{ createdAt: created.offset, archivedAt: archived.offset },
    tokens: { app, bobby, admin },
    end: (await call('/v2/state/ledger-end')).offset,
  }
  return { node, stage }
}

async function send(url: string, stage: Stage, { request }: Mistake): Promise<Refusal> {
  const { method = 'POST', path, body, token = stage.tokens.app, headers = {} }: Request = request(stage)
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as string }),
  })
  const text = await answer.text()
  const { code = answer.status, cause = text, context = {} } = jsonIn(text)
  const inHeader = answer.headers.get('tallystick-hint')
  return { code, cause, text, hints: [inHeader ?? undefined, context.hint].filter((hint) => hint !== undefined) }
}

function jsonIn(text: string): { code?: string; cause?: string; context?: Record<string, string> } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Ids and times differ between nodes, and so do the ends of their ledgers: each refused command has added a completion. */
function withoutIds(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{10,}|[0-9a-f]{8}(?=\))/g, 'ID')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?<=ledger end \(|from 1 to )\d+/g, 'END')
}

let development: Awaited<ReturnType<typeof setUp>>
let production: Awaited<ReturnType<typeof setUp>>
before(async () => {
  development = await setUp(true)
  production = await setUp(false)
})
after(async () => {
  await development.node[Symbol.asyncDispose]()
  await production.node[Symbol.asyncDispose]()
})

describe('a hint is given for', () => {
  for (const mistake of mistakes) {
    test(mistake.mistake, async () => {
      const { node, stage } = development
      const { code, text, hints } = await send(node.url, stage, mistake)
      const wanted = typeof mistake.hint === 'string' ? mistake.hint : mistake.hint(stage)
      assert.deepEqual([code, hints[0]], [mistake.code, wanted], text)
      assert.deepEqual([...new Set(hints)], [wanted])
      const isJson = typeof mistake.code === 'string'
      assert.equal(hints.length, isJson ? 2 : 1, 'in the header, and in the context of an error that has one')
      assert.match(wanted, /^[\x20-\x7e]+$/, 'a header holds no other signs')
    })
  }

  test('at least forty mistakes, each once', () => {
    assert.ok(mistakes.length >= 40)
    assert.equal(new Set(mistakes.map(({ mistake }) => mistake)).size, mistakes.length)
  })
})

describe('a node that is not for development says only what Canton says about', () => {
  for (const mistake of mistakes) {
    test(mistake.mistake, async () => {
      const told = await send(development.node.url, development.stage, mistake)
      const { code, cause, text, hints } = await send(production.node.url, production.stage, mistake)
      assert.deepEqual([code, hints], [mistake.code, []])
      assert.doesNotMatch(text, /did you mean|hint"|"path"|"expected"/)
      if (code === 'NA') assert.equal(cause, 'A security-sensitive error has been received')
      else assert.equal(withoutIds(told.cause), withoutIds(cause))
    })
  }
})
