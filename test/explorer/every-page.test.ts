// Every page of the explorer, one after the other in one tab: without violations in both themes, and no wider than a phone.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { exercise, iouType, quickstart, right } from '../fixtures/ledger.ts'

/** Of all pages. Their code is for browsers, so this only reads it. */
const routes = readFileSync(new URL('../../src/explorer/routes.ts', import.meta.url), 'utf8')
const paths = [...routes.matchAll(/path: '(.+?)'/g)].map(([, path]) => path!)

/** Goes there as a link does: the explorer itself is not loaded again. */
async function go(page: Page, path: string): Promise<void> {
  const address = JSON.stringify(`/explorer${path}`)
  await page.evaluate(`history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
}

describe('every page', () => {
  let [contractId, split] = ['', 0]
  const explorer = useExplorer(async (ledger) => {
    contractId = (await ledger.submit([ledger.createIou()])).contractId
    const whole = (await ledger.submit([ledger.createIou({ amount: '250' })])).contractId
    await ledger.submit([exercise(iouType, whole, 'Iou_Split', { amount: '100' })], { actAs: [ledger.alice] })
    split = await ledger.end()
    const refused = ledger.commandsOf([exercise(iouType, contractId, 'Iou_Split', { amount: '1000' })])
    await ledger.post('/v2/commands/submit-and-wait', refused)
    await ledger.node.call('POST', '/v2/users/app/rights', {
      body: { userId: 'app', rights: [right('ParticipantAdmin')] },
    })
    await ledger.node.call('POST', '/dev/snapshots', { body: { name: 'before' } })
  })

  test('has no violations in either theme and fits a narrow screen', async () => {
    const { ledger } = explorer
    const form = new URLSearchParams({ template: iouType, contract: contractId, choice: 'Iou_Split' })
    // What to wait for tells that the page has read what it shows.
    const places: readonly (readonly [route: string, path: string, shown: string | RegExp])[] = [
      ['/', '/', 'Latest updates'],
      ['/updates', '/updates?party=a', 'Iou_Split'],
      ['/updates/:id', `/updates/${split}`, 'Newly active'],
      ['/updates/:id', '/updates/1', 'is hosted by'],
      ['/contracts', `/contracts?at=${split}`, /contracts, newest first/],
      ['/contracts/:id', `/contracts/${contractId}`, 'Holding_Redeem'],
      ['/act/create', `/act/create?template=${encodeURIComponent(iouType)}`, 'currency'],
      ['/act/exercise', `/act/exercise?${form}`, 'What it would do'],
      ['/refusals', '/refusals', 'DAML_FAILURE'],
      ['/packages', '/packages', 'quickstart'],
      ['/packages/:id', `/packages/${quickstart}`, 'TransferOffer_Accept'],
      ['/packages/:id', `/packages/${quickstart}?view=graph`, 'Also what choices exercise'],
      ['/parties', '/parties', 'carol'],
      ['/parties/:id', `/parties/${encodeURIComponent(ledger.alice)}`, 'Annotations'],
      [
        '/parties/:id/wallet',
        `/parties/${encodeURIComponent(ledger.alice)}/wallet`,
        'There are no tokens on this ledger',
      ],
      ['/users', '/users', 'participant_admin'],
      ['/users/:id', '/users/app', 'CanReadAsAnyParty'],
      ['/identity-providers', '/identity-providers', 'No identity providers'],
      ['/scripts', '/scripts', 'No package has scripts'],
      ['/controls', '/controls', 'No faults are on order'],
      ['/api', '/api', 'Interactive submission'],
      ['/api/:id', '/api/getV2UsersUser-id', 'Try it'],
    ]
    assert.deepEqual([...new Set(places.map(([route]) => route))].sort(), paths.sort())
    const page = await explorer.open('/', { token: ledger.token })
    for (const [, path, shown] of places) {
      await go(page, path)
      await page.locator('#content').getByText(shown).first().waitFor()
      await page.setViewportSize({ width: 380, height: 860 })
      assert.ok((await overflowOf(page)) <= 0, `${path} is too wide`)
      await page.setViewportSize({ width: 1280, height: 860 })
      await assertAccessible(page).catch((error) => {
        throw new Error(`${path}: ${error.message}`)
      })
    }
    // The check itself: it finds what is wrong in the theme that is shown, and what only the other theme gets wrong.
    await page.evaluate(`
      const text = Object.assign(document.createElement('p'), { textContent: 'hardly to be read' })
      text.style.color = 'light-dark(black, #333)'
      document.querySelector('main').append(text, document.createElement('img'))`)
    await assert.rejects(assertAccessible(page), (error: Error) => {
      assert.match(error.message, /image-alt/)
      assert.match(error.message, /dark theme: color-contrast/)
      assert.doesNotMatch(error.message, /'color-contrast/)
      return true
    })
  })
})
