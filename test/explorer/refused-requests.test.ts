// No page asks for what it knows will be refused: every page, with each kind of token and without tokens.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page, Request, Response } from 'playwright-core'
import { useExplorer } from '../fixtures/explorer.ts'
import { iouType, quickstart, right, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode, type TestNode } from '../fixtures/node.ts'

/** Of all pages. Their code is for browsers, so this only reads it. */
const routes = readFileSync(new URL('../../src/explorer/routes.ts', import.meta.url), 'utf8')
const paths = [...routes.matchAll(/path: '(.+?)'/g)].map(([, path]) => path!)

const refused: string[] = []
const log = {
  isDebug: false,
  debug: () => undefined,
  info: (fields: object, message: string) => {
    if (message === 'request refused') refused.push(JSON.stringify(fields))
  },
  warn: (fields: object, message: string) => refused.push(`${message} ${JSON.stringify(fields)}`),
  error: (fields: object, message: string) => refused.push(`${message} ${JSON.stringify(fields)}`),
}

/** What is at the places that a route stands for. */
type Places = { readonly update: number; readonly contract: string; readonly party: string; readonly user: string }

function placesOf({ update, contract, party, user }: Places): [route: string, place: string][] {
  const form = new URLSearchParams({ template: iouType, contract, choice: 'Iou_Split' })
  const all: [route: string, place: string][] = [
    ['/', '/'],
    ['/updates', '/updates'],
    ['/updates/:id', `/updates/${update}`],
    ['/contracts', '/contracts'],
    ['/contracts', `/contracts?template=${encodeURIComponent(iouType)}`],
    ['/contracts/:id', `/contracts/${contract}`],
    ['/act/create', '/act/create'],
    ['/act/create', `/act/create?template=${encodeURIComponent(iouType)}`],
    ['/act/exercise', `/act/exercise?${form}`],
    ['/refusals', '/refusals'],
    ['/packages', '/packages'],
    ['/packages/:id', `/packages/${quickstart}`],
    ['/packages/:id', `/packages/${quickstart}?view=graph`],
    ['/parties', '/parties'],
    ['/parties/:id', `/parties/${encodeURIComponent(party)}`],
    ['/parties/:id/wallet', `/parties/${encodeURIComponent(party)}/wallet`],
    ['/users', '/users'],
    ['/users/:id', `/users/${user}`],
    ['/identity-providers', '/identity-providers'],
    ['/controls', '/controls'],
    ['/scripts', '/scripts'],
    ['/api', '/api'],
    ['/api/:id', '/api/getV2UsersUser-id'],
  ]
  assert.deepEqual([...new Set(all.map(([route]) => route))].sort(), [...paths].sort())
  return all
}

const isPolling = (request: Request) => request.url().endsWith('/v2/state/ledger-end')

/**
 * Goes to each place and waits until its page has asked for what it needs: until the end of the ledger was read while
 * nothing else was under way. Returns the answers that were refusals.
 */
async function walk(page: Page, places: readonly string[]): Promise<string[]> {
  const pending = new Set<Request>()
  const refusals: string[] = []
  page.on('request', (request) => {
    if (!isPolling(request)) pending.add(request)
  })
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  page.on('response', (response: Response) => {
    if (response.status() >= 400) refusals.push(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  const polled = () => page.waitForEvent('requestfinished', isPolling)
  const quiet = async () => {
    do await polled()
    while (pending.size > 0)
  }
  await page.reload()
  await quiet()
  for (const place of places) {
    const address = JSON.stringify(`/explorer${place}`)
    await page.evaluate(`history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
    await page.locator('#content').getByRole('heading', { level: 1 }).waitFor()
    await quiet()
    await page.locator('#content .loading').waitFor({ state: 'detached' })
  }
  return refusals
}

async function planted(ledger: TestLedger): Promise<Places> {
  const { contractId: contract } = await ledger.submit([ledger.createIou()])
  return { update: await ledger.end(), contract, party: ledger.alice, user: 'app' }
}

type Visitor = { readonly page: Page; readonly places: Places }

/** A node without tokens, and what is there to see. */
async function openNode(development: boolean): Promise<{ node: TestNode; places: Places }> {
  const dars = [new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname]
  const settings = { development, explorer: true, dars, auth: { mode: 'off' } } as const
  const node = await startTestNode({ settings, log })
  const { json } = await node.call('POST', '/v2/parties', { token: null, body: { partyIdHint: 'dora' } })
  const { party } = json.partyDetails
  const createArguments = { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] }
  const commands = {
    commands: [{ CreateCommand: { templateId: iouType, createArguments } }],
    commandId: 'first',
    userId: 'participant_admin',
    actAs: [party],
  }
  const submit = '/v2/commands/submit-and-wait-for-transaction'
  const { offset: update, events } = (await node.call('POST', submit, { token: null, body: { commands } })).json
    .transaction
  return { node, places: { update, contract: events[0].CreatedEvent.contractId, party, user: 'participant_admin' } }
}

describe('every page', () => {
  const explorer = useExplorer(async () => undefined, { log })

  /** All walk at once, because each waits for the clock most of the time. A width of its own gives each its own storage. */
  test('asks for nothing that is refused', async (t) => {
    await using nodes = new AsyncDisposableStack()
    const { ledger } = explorer
    const places = await planted(ledger)
    const withToken = async (token: string | undefined, width: number): Promise<Visitor> => {
      return { page: await explorer.open('/', { width, ...(token !== undefined && { token }) }), places }
    }
    const without = async (development: boolean): Promise<Visitor> => {
      const opened = await openNode(development)
      nodes.use(opened.node)
      return { page: await explorer.openOn(opened.node, '/'), places: opened.places }
    }
    const visitors: [title: string, visitor: Visitor][] = [
      ['to the token of a link', await withToken(undefined, 1280)],
      [
        'to a user with few rights',
        await withToken(await ledger.userWith('alice-only', right('CanActAs', ledger.alice)), 1281),
      ],
      ['to a user with none', await withToken(await ledger.userWith('nobody-at-all'), 1282)],
      ['by a development node that requires no token', await without(true)],
      ['by a node that requires no token', await without(false)],
    ]
    for (const [, { page }] of visitors) await page.getByRole('heading', { level: 1 }).waitFor()
    refused.length = 0
    const walks = visitors.map(([, { page, places }]) => {
      return walk(
        page,
        placesOf(places).map(([, place]) => place),
      )
    })
    const walked = await Promise.allSettled(walks)
    for (const [index, [title]] of visitors.entries()) {
      await t.test(title, async () => assert.deepEqual(walked[index], { status: 'fulfilled', value: [] }))
    }
    assert.deepEqual(refused, [])
  })
})
