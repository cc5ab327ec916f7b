// Tabs of one browser: signed in together on a development node, signed out together, and asked to sign in again when the
// node or its ledger is another one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { assertAccessible, openInNewTab, useExplorer } from '../fixtures/explorer.ts'
import { freePort } from '../fixtures/free-port.ts'
import { right } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'

const staleWords = 'The session of before is over'

describe('the tabs of a browser', () => {
  const explorer = useExplorer()

  /** A person comes to a tab before they open a link there; browsers take a moment to tell other processes. */
  async function use(page: Page, witness: Page, token: string): Promise<void> {
    await page.getByRole('heading', { level: 1 }).click()
    await witness.waitForFunction((wanted) => localStorage.getItem('tallystick-token') === wanted, token)
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const tokenOf = (page: Page) => page.evaluate(() => sessionStorage.getItem('tallystick-token'))

  async function signInWith(page: Page, token: string): Promise<void> {
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  test('a link that is opened in a new tab is signed in, and signing out signs out every tab and ends the session', async () => {
    const page = await explorer.open('/updates')
    await heading(page, 'Updates')
    const other = await openInNewTab(page.getByRole('link', { name: 'Contracts', exact: true }))
    await heading(other, 'Contracts')
    const token = await tokenOf(page)
    assert.equal(await tokenOf(other), token)
    await other.getByText(/Signed in, in every tab, until \d{4}-\d\d-\d\d \d\d:\d\d/).waitFor()
    const forgotten = other.waitForResponse((response) => response.url().endsWith('/dev/sign-out'))
    await other.getByRole('button', { name: 'Sign out everywhere' }).click()
    await heading(other, 'Sign in')
    await heading(page, 'Sign in')
    await page.getByText('You have signed out in another tab.').waitFor()
    assert.equal((await forgotten).status(), 200)
    const { node } = explorer.ledger
    assert.equal((await node.call('GET', '/v2/users', { token })).status, 401)
    await page.reload()
    await heading(page, 'Sign in')
    assert.equal(await page.locator('.notice').count(), 0)
    await assertAccessible(page)
  })

  test('a tab that waits for a token is signed in when another one is', async () => {
    const waiting = await explorer.open('/packages', { token: null })
    await heading(waiting, 'Sign in')
    await waiting.getByText('so that other tabs are signed in, too').waitFor()
    await explorer.open('/updates')
    await heading(waiting, 'Packages')
  })

  test('tabs of different users stay apart, and a new tab is that of the tab that it was opened from', async () => {
    const { ledger } = explorer
    const [carol, bob] = [
      await ledger.userWith('carol-tab', right('CanReadAs', ledger.carol)),
      await ledger.userWith('bob-tab', right('CanReadAs', ledger.bob)),
    ]
    const one = await explorer.open('/updates', { token: null })
    const two = await explorer.open('/updates', { token: null })
    await signInWith(one, carol)
    await one.getByText('carol-tab').waitFor()
    await two.getByText('carol-tab').waitFor() // It waited for a token, too.
    await two.getByRole('button', { name: 'Sign out everywhere' }).click()
    await heading(one, 'Sign in')
    await signInWith(one, carol)
    await two.getByText('carol-tab').waitFor()
    // As if it had been signed in by itself.
    await two.evaluate((token) => sessionStorage.setItem('tallystick-token', token), bob)
    await two.reload()
    await two.getByText('bob-tab').waitFor()
    await use(one, two, carol)
    const fromOne = await openInNewTab(one.getByRole('link', { name: 'Contracts', exact: true }))
    await fromOne.getByText('carol-tab').waitFor()
    await use(two, one, bob)
    const fromTwo = await openInNewTab(two.getByRole('link', { name: 'Contracts', exact: true }))
    await fromTwo.getByText('bob-tab').waitFor()
    await one.reload()
    await one.getByText('carol-tab').waitFor()
    await one.getByRole('button', { name: 'Sign out everywhere' }).click()
    for (const page of [one, two, fromOne, fromTwo]) await heading(page, 'Sign in')
  })

  test('another node behind the same address asks to sign in again, once and with its reason', async () => {
    const first = await startTestNode()
    const http = { port: Number(new URL(first.url).port) }
    const page = await explorer.openOn(first, '/updates')
    await heading(page, 'Updates')
    await first[Symbol.asyncDispose]()
    await using second = await startTestNode({ settings: { http } })
    await heading(page, 'Sign in')
    await page.getByText(staleWords).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.reload()
    await heading(page, 'Sign in')
    assert.deepEqual(
      asked.filter((path) => !path.startsWith('/explorer/files/')),
      ['/explorer/updates', '/explorer/session'],
    )
    const link = await explorer.openOn(second, '/contracts')
    await heading(link, 'Contracts')
    await heading(page, 'Updates')
  })

  test('a restart on the same ledger keeps the session; a tab that opens on another one tells why it is over', async () => {
    const http = { port: await freePort() }
    const node = await startTestNode({ store: 'sqlite', settings: { http } })
    const page = await explorer.openOn(node, '/updates')
    await heading(page, 'Updates')
    await node.restart()
    await page.reload()
    await heading(page, 'Updates')
    await node[Symbol.asyncDispose]()
    await page.close()
    await using other = await startTestNode({ settings: { http } })
    const late = await explorer.openOn(other, '/updates', { token: null })
    await late.getByText(staleWords).waitFor()
    assert.equal(await late.evaluate(() => localStorage.getItem('tallystick-token')), null)
  })

  test('another user does not look as the party that the one before has chosen', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/updates')
    await page.getByRole('combobox', { name: 'View as party' }).fill('carol')
    await page.getByRole('option', { name: 'carol' }).click()
    await page.getByRole('button', { name: 'Stop viewing as carol' }).waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await heading(page, 'Sign in')
    const refused: string[] = []
    const later = new Set<Request>()
    page.on('request', (request) => later.add(request))
    page.on('response', (response) => {
      if (response.status() >= 400 && later.has(response.request()))
        refused.push(`${response.status()} ${response.url()}`)
    })
    await signInWith(page, await ledger.userWith('bob-only', right('CanReadAs', ledger.bob)))
    await page.getByRole('row', { name: /bob/ }).first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Stop viewing as carol' }).count(), 0)
    assert.deepEqual(refused, [])
  })

  test('a user who is gone after a reset is asked to sign in again', async () => {
    await using node = await startTestNode()
    const { json } = await node.call('POST', '/v2/parties', { body: { partyIdHint: 'dora' } })
    const rights = [right('CanReadAs', json.partyDetails.party)]
    await node.call('POST', '/v2/users', { body: { user: { id: 'dora' }, rights } })
    const page = await explorer.openOn(node, '/updates', { token: null })
    await signInWith(page, await node.token('dora'))
    await heading(page, 'Updates')
    await node.call('POST', '/dev/reset')
    await heading(page, 'Sign in')
    await page.getByText(staleWords).waitFor()
  })

  test('an old link does not end a session that works, and says so where there is none', async () => {
    const page = await explorer.open('/updates')
    await heading(page, 'Updates')
    await page.goto(`${explorer.ledger.node.url}/explorer/contracts#key=nonsense`)
    await page.reload()
    await heading(page, 'Contracts')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await heading(page, 'Sign in')
    await page.goto(`${explorer.ledger.node.url}/explorer/updates#key=nonsense`)
    await page.reload()
    await heading(page, 'Sign in')
    await page.goto(`${explorer.ledger.node.url}/explorer/packages#key=nonsense`)
    await page.getByText('The link has expired').waitFor()
  })
})
