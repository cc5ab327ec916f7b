// The frame of the explorer, in a real browser: signing in, navigation, search, "view as", themes, keyboard.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { signWith } from '../fixtures/issuer.ts'
import { iouType } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'

/** In the storage of the tab, and in that of the browser. */
const keptTokens = (page: Page) =>
  page.evaluate(() => [sessionStorage, localStorage].map((storage) => storage.getItem('tallystick-token')))

describe('the frame', () => {
  const explorer = useExplorer(async (ledger) => {
    await ledger.submit([ledger.createIou()])
  })

  test('signs in by a link, whose key leaves the address, and stays signed in', async () => {
    const page = await explorer.open('/updates')
    await page.getByRole('heading', { level: 1, name: 'Updates' }).waitFor()
    assert.equal(new URL(page.url()).hash, '')
    await page.reload()
    await page.getByRole('row', { name: /command-1/ }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual(await keptTokens(page), [null, null])
    await assertAccessible(page)
  })

  test('asks for a token, tells why one is refused, and shows what its user may see', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/updates', { token: null })
    await page.getByLabel('Token').fill('nonsense')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    const token = await ledger.userWith('carol-reader', {
      kind: { CanReadAs: { value: { party: ledger.carol } } },
    })
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Updates' }).waitFor()
    await page.getByText('carol-reader').waitFor()
    await page.getByRole('row', { name: /carol/ }).first().waitFor()
    assert.equal(await page.getByRole('row', { name: /command-1/ }).count(), 0)
  })

  test('of another node than a development node asks for a token and has no tools of one', async () => {
    const secret = 'a secret of thirty-two characters'
    const settings = { development: false, explorer: true, auth: { keys: [{ type: 'hs256', secret } as const] } }
    await using node = await startTestNode({ settings })
    const claims = { sub: 'participant_admin', scope: 'daml_ledger_api', exp: Math.floor(Date.now() / 1000) + 240 }
    const token = await signWith(new TextEncoder().encode(secret), { alg: 'HS256' }, claims)
    await node.call('POST', '/v2/parties', { token, body: { partyIdHint: 'dora' } })
    const page = await explorer.openOn(node, '/parties')
    await page.getByLabel('Token').fill(`Bearer ${token}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('row', { name: /dora/ }).waitFor()
    assert.equal(await page.getByRole('link', { name: /Refusals|Controls/ }).count(), 0)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page
      .getByRole('row', { name: /global/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('link', { name: 'Create a contract' }).count(), 0)
    assert.equal(await page.evaluate(() => localStorage.length), 0)
    await page.getByText(/Signed in until/).waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.getByText('It is kept in this tab only.').waitFor()
  })

  test('of a node that requires no token is open', async () => {
    const dars = [new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname]
    const settings = { development: false, explorer: true, dars, auth: { mode: 'off' } } as const
    await using node = await startTestNode({ settings })
    await node.call('POST', '/v2/parties', { token: null, body: { partyIdHint: 'dora' } })
    const page = await explorer.openOn(node, '/updates')
    await page.getByRole('row', { name: /dora/ }).first().waitFor()
    await page.getByText('none required').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0)
    await page.goto(`${node.url}/explorer/act/create?template=${encodeURIComponent('#quickstart:Wallet:Wallet')}`)
    await page.getByRole('heading', { name: 'Create Wallet' }).waitFor()
    await page.getByRole('combobox', { name: 'Act as' }).fill('dora')
    await page.getByRole('option', { name: 'dora' }).click()
    await page.getByRole('combobox', { name: 'owner' }).fill('dora')
    await page.getByRole('option', { name: 'dora' }).click()
    await page.getByRole('region', { name: 'Dry run' }).getByText('The node would accept it').waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /^Update \d+$/ }).waitFor()
  })

  test('narrows everything to what one party sees', async () => {
    const page = await explorer.open('/updates')
    await page.getByRole('row', { name: /command-1/ }).waitFor()
    await page.getByRole('combobox', { name: 'View as party' }).fill('bob')
    await page.getByRole('option', { name: 'bob' }).click()
    await page.getByRole('row', { name: /command-1/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /bob/ }).first().waitFor()
    await page.getByRole('button', { name: 'Stop viewing as bob' }).click()
    await page.getByRole('row', { name: /command-1/ }).waitFor()
  })

  test('is used by keyboard: search, pages, help', async () => {
    const page = await explorer.open('/updates')
    await page.getByRole('row', { name: /command-1/ }).waitFor()
    // At once, because a second later the first key counts no more.
    await page.evaluate(
      "for (const key of 'gc') document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))",
    )
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('9')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Update 9' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor()
  })

  test('works without TLS on another machine, where browsers have no clipboard', async () => {
    const { node, token } = explorer.ledger
    const page = await explorer.open('/', { token })
    await page.route('http://ledger.test/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      const response = await route.fetch({ url: `${node.url}${pathname}${search}` })
      const headers = { ...response.headers(), 'cross-origin-opener-policy': '' } // Browsers complain that they ignore it.
      await route.fulfill({ response, headers })
    })
    await page.goto(`http://ledger.test/explorer/act/create?template=${encodeURIComponent(iouType)}`)
    await page.getByRole('heading', { level: 1, name: 'Create Iou' }).waitFor()
    assert.equal(await page.evaluate('isSecureContext'), false)
    await page.getByRole('button', { name: 'curl' }).click()
    await page.getByText('Copied the command as curl').waitFor()
  })

  test('says when the node does not answer, and goes on when it does', async () => {
    const page = await explorer.open('/contracts')
    await page.getByText('Ledger end').waitFor()
    await page.context().setOffline(true)
    await page.getByText('The node does not answer. What you see').waitFor()
    await page.context().setOffline(false)
    await page.getByText('The node does not answer. What you see').waitFor({ state: 'detached' })
  })

  test('asks for another token when one has expired', async () => {
    const token = await explorer.ledger.node.node.issueToken!('participant_admin', 2_000)
    const page = await explorer.open('/contracts', { token })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    // On a slow machine it has expired before the page is there.
    await page.locator('.notice', { hasText: /expired|refused/ }).waitFor()
  })

  test('has a way to every page on a narrow screen, and says so if there is no page', async () => {
    const page = await explorer.open('/nothing/here', { width: 380, colorScheme: 'dark' })
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('button', { name: 'Navigation' }).click()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Updates' }).click()
    await page.getByRole('heading', { level: 1, name: 'Updates' }).waitFor()
    assert.ok((await overflowOf(page)) <= 0)
  })

  test('says on every page that the ledger is a fork, and when it follows no longer', async () => {
    const { ledger } = explorer
    const token = await ledger.userWith('forking', { kind: { CanReadAsAnyParty: { value: {} } } })
    await using fork = await startTestNode({ settings: { fork: { url: ledger.node.url, token, follow: true } } })
    const page = await explorer.openOn(fork, '/contracts')
    const mark = page.locator('.fork-mark')
    await mark.getByText(/^Fork of participant::.* up to offset \d+, following$/).waitFor()
    await assertAccessible(page)
    const own = { partyIdHint: 'own', synchronizerId: ledger.synchronizerId }
    assert.equal((await fork.call('POST', '/v2/parties', { body: own })).status, 200)
    await mark.getByText(/at offset \d+; it has had commands of its own since offset \d+$/).waitFor()
  })
})
