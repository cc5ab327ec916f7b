// No page asks for what it knows will be refused: every page, with each kind of token and without tokens.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page, Request, Response } from 'playwright-core'
import { useExplorer } from '../fixtures/explorer.ts'
import { iouType, quickstart, right, type TestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'

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
    ['/users', '/users'],
    ['/users/:id', `/users/${user}`],
    ['/identity-providers', '/identity-providers'],
    ['/controls', '/controls'],
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

describe('every page', () => {
  const explorer = useExplorer(async () => undefined, { log })

  async function assertNothingRefused(open: () => Promise<Page>, places: Places): Promise<void> {
    const page = await open()
    await page.getByRole('heading', { level: 1 }).waitFor()
    refused.length = 0
    const refusals = await walk(
      page,
      placesOf(places).map(([, place]) => place),
    )
    assert.deepEqual([refusals, refused], [[], []])
  }

  test('asks for nothing that is refused to the token of a link', async () => {
    await assertNothingRefused(() => explorer.open('/'), await planted(explorer.ledger))
  })

  test('asks for nothing that is refused to a user with few rights', async () => {
    const { ledger } = explorer
    const places = await planted(ledger)
    const alice = await ledger.userWith('alice-only', right('CanActAs', ledger.alice))
    await assertNothingRefused(() => explorer.open('/', { token: alice }), places)
    const none = await ledger.userWith('nobody-at-all')
    await assertNothingRefused(() => explorer.open('/', { token: none }), places)
  })

  for (const development of [true, false]) {
    const kind = development ? 'development node' : 'node'
    test(`asks for nothing that is refused by a ${kind} that requires no token`, async () => {
      const dars = [new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname]
      const settings = { development, explorer: true, dars, auth: { mode: 'off' } } as const
      await using node = await startTestNode({ settings, log })
      const { json } = await node.call('POST', '/v2/parties', { token: null, body: { partyIdHint: 'dora' } })
      const { party } = json.partyDetails
      const createArguments = { issuer: party, owner: party, amount: '1', currency: 'EUR', observers: [] }
      const { json: submitted } = await node.call('POST', '/v2/commands/submit-and-wait-for-transaction', {
        token: null,
        body: {
          commands: {
            commands: [{ CreateCommand: { templateId: iouType, createArguments } }],
            commandId: 'first',
            userId: 'participant_admin',
            actAs: [party],
          },
        },
      })
      const { offset: update, events } = submitted.transaction
      const contract = events[0].CreatedEvent.contractId
      const places = { update, contract, party, user: 'participant_admin' }
      await assertNothingRefused(() => explorer.openOn(node, '/'), places)
    })
  }
})
