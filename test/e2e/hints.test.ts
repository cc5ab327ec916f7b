// Hints that a development node adds to errors: in the context and in a header, never in the cause, and never about
// what the caller may not see.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { describe, test } from 'node:test'
import { givesHints } from '../../src/base/settings.ts'
import { framed } from '../../src/grpc/wire-call.ts'
import { openGrpc } from '../fixtures/grpc.ts'
import { startTestNode, type TestNode, type TestOptions, testSettings } from '../fixtures/node.ts'
import { start } from '../fixtures/process.ts'
import { until } from '../fixtures/until.ts'

const iou = '#quickstart:Iou:Iou'

async function ledger(options: TestOptions = {}) {
  const node = await startTestNode({ ...options, settings: { hints: true, ...options.settings } })
  const party = async (hint: string): Promise<string> => {
    const { json } = await node.call('POST', '/v2/parties', { body: { partyIdHint: hint } })
    return json.partyDetails.party
  }
  const [alice, bob] = [await party('alice'), await party('bob')]
  const tokenFor = async (id: string, actAs: string) => {
    const rights = [{ kind: { CanActAs: { value: { party: actAs } } } }]
    await node.call('POST', '/v2/users', { body: { user: { id }, rights } })
    return node.token(id)
  }
  const tokens = { alice: await tokenFor('alice', alice), bob: await tokenFor('bob', bob) }
  let commands = 0
  const submit = (who: 'alice' | 'bob', command: object) => {
    commands += 1
    const body = { commandId: `c${commands}`, actAs: [{ alice, bob }[who]], commands: [command] }
    return node.call('POST', '/v2/commands/submit-and-wait', { token: tokens[who], body })
  }
  const createArguments = { issuer: alice, owner: alice, amount: '1', currency: 'EUR', observers: [] }
  const create = (templateId: string) => submit('alice', { CreateCommand: { templateId, createArguments } })
  const exercise = (who: 'alice' | 'bob', contractId: string, choice: string) =>
    submit(who, { ExerciseCommand: { templateId: iou, contractId, choice, choiceArgument: {} } })
  return { node, alice, tokens, submit, create, createArguments, exercise }
}

async function contractOf(node: TestNode, party: string, token: string): Promise<string> {
  const { offset } = (await node.call('GET', '/v2/state/ledger-end')).json
  const body = { activeAtOffset: offset, eventFormat: { filtersByParty: { [party]: {} }, verbose: false } }
  const { json } = await node.call('POST', '/v2/state/active-contracts', { token, body })
  return json[0].contractEntry.JsActiveContract.createdEvent.contractId
}

describe('hints', () => {
  test('say how to write a value that only Canton would refuse', async () => {
    const { node, submit, createArguments } = await ledger()
    await using _node = node
    const create = (amount: unknown) =>
      submit('alice', { CreateCommand: { templateId: iou, createArguments: { ...createArguments, amount } } })
    const refused = await create(10_000_000)
    const cause = 'Could not read Numeric string "1.0E7"'
    assert.match(refused.json.cause, new RegExp(cause))
    const hint = 'createArguments.amount: write the Numeric as a string: "10000000"'
    assert.deepEqual([refused.status, refused.json.context.hint], [400, hint])
    const taken = await create(9_999_999)
    assert.equal(taken.status, 200, taken.text)
  })

  test('name the package, the template and the choice that were probably meant', async () => {
    const { node, alice, tokens, submit, create, createArguments } = await ledger()
    await using _node = node
    const rows: [templateId: string, hint: string][] = [
      ['#quickstrat:Iou:Iou', 'did you mean `#quickstart`?'],
      ['#quickstart:Iou:Iuo', 'did you mean `#quickstart:Iou:Iou`?'],
      ['quickstart:Iou:Iou', 'did you mean `#quickstart:Iou:Iou`?'],
    ]
    for (const [templateId, hint] of rows) {
      const { json, status } = await create(templateId)
      assert.deepEqual([status, json.context.hint], [404, hint], templateId)
      assert.doesNotMatch(json.cause, /did you mean/)
    }
    const choice = { templateId: iou, createArguments, choice: 'Iou_Spilt', choiceArgument: {} }
    const { json } = await submit('alice', { CreateAndExerciseCommand: choice })
    assert.match(json.context.hint, /^did you mean `Iou_Split`\? the choices are .*Archive/)
    const filter = { identifierFilter: { TemplateFilter: { value: { templateId: '#quickstart:Iou:Iuo' } } } }
    const eventFormat = { filtersByParty: { [alice]: { cumulative: [filter] } }, verbose: false }
    const read = await node.call('POST', '/v2/state/active-contracts', {
      token: tokens.alice,
      body: { activeAtOffset: 0, eventFormat },
    })
    assert.equal(read.json.context.hint, 'did you mean `#quickstart:Iou:Iou`?')
  })

  for (const store of ['sqlite', 'postgres'] as const) {
    test(`say what became of a contract, but only to its stakeholders (${store})`, async () => {
      const { node, alice, tokens, create, exercise } = await ledger({ store })
      await using _node = node
      const created = await create(iou)
      assert.equal(created.status, 200)
      const { completionOffset } = created.json
      const contractId = await contractOf(node, alice, tokens.alice)
      const unseen = /^no contract with this id that actAs and readAs can see/
      const strange = await exercise('bob', contractId, 'Archive')
      assert.equal(strange.json.code, 'CONTRACT_NOT_FOUND')
      assert.match(strange.json.context.hint, unseen)
      assert.equal((await exercise('alice', contractId, 'Archive')).status, 200)
      const { json } = await exercise('alice', contractId, 'Archive')
      const wanted = `this contract of ${iou}, created at offset ${completionOffset}, was archived at offset ${completionOffset + 1}`
      assert.deepEqual([json.code, json.context.hint], ['CONTRACT_NOT_FOUND', wanted])
      assert.equal(json.cause, `Contract could not be found with id ${contractId}`)
      const again = await exercise('bob', contractId, 'Archive')
      const unknown = await exercise('alice', `00${'ab'.repeat(32)}ca10122${'0'.repeat(64)}0`.slice(0, 138), 'Archive')
      const hints = [strange, again, unknown].map(({ json }) => json.context.hint)
      assert.equal(new Set(hints).size, 1, 'nobody learns from it whether there is such a contract')
    })
  }

  for (const store of ['sqlite', 'postgres'] as const) {
    test(`say where a command was accepted that is submitted again after its contract is gone (${store})`, async () => {
      const { node, alice, tokens, create } = await ledger({ store })
      await using _node = node
      assert.equal((await create(iou)).status, 200)
      const contractId = await contractOf(node, alice, tokens.alice)
      const archive = (commandId: string, more: object = {}) => {
        const exercise = { templateId: iou, contractId, choice: 'Archive', choiceArgument: {} }
        const body = { commandId, actAs: [alice], commands: [{ ExerciseCommand: exercise }], ...more }
        return node.call('POST', '/v2/commands/submit-and-wait', { token: tokens.alice, body })
      }
      const first = (await archive('archive')).json
      const again = async (...[commandId, more]: Parameters<typeof archive>) => {
        const { json } = await archive(commandId, more)
        assert.equal(json.code, 'CONTRACT_NOT_FOUND')
        return json.context.hint as string
      }
      const { updateId, completionOffset } = first
      const accepted = `this command was accepted before: its completion is at offset ${completionOffset}, as update ${updateId}. If you got no answer then, that is the answer`
      assert.equal(await again('archive'), accepted)
      const since = (value: number) => ({ deduplicationPeriod: { DeduplicationOffset: { value } } })
      assert.equal(await again('archive', since(completionOffset - 1)), accepted)
      const gone = new RegExp(`was archived at offset ${completionOffset}$`)
      assert.match(await again('archive', since(completionOffset)), gone, 'that is before the period')
      assert.match(await again('another'), gone)
    })
  }

  test('reach WebSocket clients, too', async () => {
    const { node, alice, tokens } = await ledger()
    await using _node = node
    const hintFor = async (request: object) => {
      const url = `${node.url.replace('http', 'ws')}/v2/state/active-contracts`
      const socket = new WebSocket(url, [`jwt.token.${tokens.alice}`, 'daml.ws.auth'])
      socket.onopen = () => socket.send(JSON.stringify(request))
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      socket.onmessage = ({ data }) => resolve(String(data))
      socket.onclose = () => reject(new Error('it closed without a word'))
      return JSON.parse(await promise).context.hint
    }
    const filter = { identifierFilter: { TemplateFilter: { value: { templateId: '#quickstart:Iou:Iuo' } } } }
    const eventFormat = { filtersByParty: { [alice]: { cumulative: [filter] } }, verbose: false }
    assert.equal(await hintFor({ activeAtOffset: 0, eventFormat }), 'did you mean `#quickstart:Iou:Iou`?')
    assert.match(await hintFor({ activeAtOffset: 'latest', eventFormat }), /^activeAtOffset: write a whole number/)
  })

  for (const hints of [true, false]) {
    test(`${hints ? 'tell' : 'do not tell'} a gRPC client that it is at the port of the JSON API`, async () => {
      const { node } = await ledger({ settings: { hints } })
      await using _node = node
      const session = connect(node.url)
      const reasons: string[] = []
      session.on('goaway', (_code, _last, data) => reasons.push(String(data)))
      session.on('error', () => undefined)
      await new Promise((resolve) => session.once('close', resolve))
      const reason = 'this port has the JSON Ledger API over HTTP/1.1; gRPC has another port (grpc.port, --grpc-port)'
      assert.deepEqual(reasons, hints ? [reason] : [])
    })
  }

  test('reach gRPC clients in the trailers', async () => {
    const { node, tokens } = await ledger({ settings: { grpc: { port: 0 } } })
    await using _node = node
    await using client = openGrpc(node.node.grpcUrl!)
    const hintFor = async (token: string | null) => {
      const call = client.request('/com.daml.ledger.api.v2.admin.UserManagementService/ListUsers', token)
      call.end(framed(new Uint8Array()))
      const [headers] = (await once(call, 'response')) as [IncomingHttpHeaders]
      return headers['tallystick-hint']
    }
    assert.match(String(await hintFor(tokens.alice)), /^use a token of an administrator/)
    assert.match(String(await hintFor('x.y.z')), /^after Bearer comes a JSON Web Token/)
    assert.equal(await hintFor(node.adminToken), undefined)
  })

  test('are in the log, once, for a client that speaks HTTP/1.1 at the gRPC port', async () => {
    await using node = await start(['--memory', '--grpc-port', '0'])
    const [, url = ''] = /grpc +(\S+)/i.exec(node.output) ?? []
    for (let client = 0; client < 2; client += 1) await assert.rejects(fetch(url))
    const warning = /did not speak HTTP\/2: the JSON Ledger API is at the other port/g
    const log = await until(() => warning.test(node.output + node.errors) && node.output + node.errors)
    assert.equal(log.match(warning)?.length, 1)
  })

  test('are in a header that pages of other origins may read', async () => {
    const http = { corsOrigins: ['https://app.example'] }
    const { node } = await ledger({ settings: { http } })
    await using _node = node
    const { headers } = await fetch(`${node.url}/v2/usres`, { headers: { origin: 'https://app.example' } })
    assert.ok(headers.has('tallystick-hint'))
    assert.match(headers.get('access-control-expose-headers') ?? '', /(^|, )tallystick-hint(,|$)/)
  })

  test('tell nothing of the ledger without a token', async () => {
    const { node, createArguments } = await ledger()
    await using _node = node
    const hintFor = async (templateId: string, actAs: string) => {
      const body = { commandId: 'x', actAs: [actAs], commands: [{ CreateCommand: { templateId, createArguments } }] }
      const answer = await fetch(`${node.url}/v2/commands/submit-and-wait`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      return [answer.status, answer.headers.get('tallystick-hint')?.split(';')[0]]
    }
    const missing = [401, 'send the header Authorization: Bearer TOKEN']
    assert.deepEqual(await hintFor('#quickstrat:Iou:Iou', 'alice'), missing)
    const general = 'commands[0].CreateCommand.templateId: name a template or interface as #package-name:Module:Entity'
    assert.deepEqual(await hintFor('Iou:Iou', 'alice'), [400, general])
  })

  test('name the parties of others only to those who may list them', async () => {
    const { node, alice, tokens, createArguments } = await ledger()
    await using _node = node
    const hintFor = async (token: string) => {
      const commands = [{ CreateCommand: { templateId: iou, createArguments } }]
      const body = { commandId: 'x', actAs: ['alice'], commands }
      return (await node.call('POST', '/v2/commands/submit-and-wait', { token, body })).json.context.hint
    }
    const named = `did you mean \`${alice}\`? a party is named by its whole id`
    assert.equal(await hintFor(tokens.alice), named)
    assert.equal(await hintFor(node.adminToken), named)
    assert.equal(await hintFor(tokens.bob), 'a party is named by its whole id, as in alice::1220...')
  })

  test('say how to continue after 413, and which methods and paths exist', async () => {
    const { node } = await ledger({ settings: { limits: { listElementsMax: 1 } } })
    await using _node = node
    const headers = { authorization: `Bearer ${node.adminToken}` }
    const hintOf = async (method: string, path: string) => {
      const answer = await fetch(`${node.url}${path}`, { method, headers })
      return [answer.status, answer.headers.get('tallystick-hint')]
    }
    assert.deepEqual(await hintOf('DELETE', '/v2/users'), [405, '/v2/users takes POST and GET'])
    assert.deepEqual(await hintOf('GET', '/v2/usres'), [404, 'did you mean /v2/users?'])
    assert.deepEqual(await hintOf('GET', '/users'), [404, 'did you mean /v2/users?'])
    const body = 'x'.repeat(9 * 1024 * 1024)
    const large = await fetch(`${node.url}/v2/users`, { method: 'POST', headers, body })
    assert.equal(large.status, 413)
    assert.match(large.headers.get('tallystick-hint') ?? '', /^limits\.bodyBytesMax/)
  })

  test('explain how to read a list that is too long', async () => {
    const { node, alice, create, tokens } = await ledger({ settings: { limits: { listElementsMax: 1 } } })
    await using _node = node
    await create(iou)
    const { completionOffset } = (await create(iou)).json
    const eventFormat = { filtersByParty: { [alice]: {} }, verbose: false }
    const body = { activeAtOffset: completionOffset, eventFormat }
    const { status, json } = await node.call('POST', '/v2/state/active-contracts', { token: tokens.alice, body })
    assert.equal(status, 413)
    assert.match(json.context.hint, /application\/x-ndjson.*limits\.listElementsMax \(1\)/)
  })

  test('are on by default on a development node', async () => {
    await using node = await start(['--memory'])
    assert.equal((await fetch(`${node.url}/v2/usres`)).headers.get('tallystick-hint'), 'did you mean /v2/users?')
  })

  const without: [why: string, settings: NonNullable<TestOptions['settings']>][] = [
    ['on other than development nodes', { development: false }],
    ["under Canton's compatibility", { compatibility: 'canton-3.5' }],
    ['where the settings say so', { hints: false }],
  ]
  for (const [why, settings] of without) {
    test(`are not given ${why}`, async () => {
      const byDefault = testSettings({ development: true, ...settings })
      const auth = { mode: 'off', userId: 'app' } as const
      await using node = await startTestNode({ settings: { ...settings, hints: givesHints(byDefault), auth } })
      const commands = [{ CreateCommand: { templateId: '#quickstrat:Iou:Iou', createArguments: {} } }]
      const { json } = await node.call('POST', '/v2/commands/submit-and-wait', {
        body: { commandId: 'x', actAs: ['alice::1220'], commands },
      })
      assert.equal(json.code, 'PACKAGE_NAMES_NOT_FOUND')
      assert.equal(json.context.hint, undefined)
      assert.equal((await fetch(`${node.url}/v2/usres`)).headers.get('tallystick-hint'), null)
    })
  }
})
