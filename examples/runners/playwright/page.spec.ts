// The test kit with Playwright: a page whose requests reach a node. Each test begins with the ledger that `setup` left.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { useNode } from 'tallystick/testing'

const Iou = '#quickstart:Iou:Iou'
const app = 'http://app.example'

let [alice, token, iou] = ['', '', '']
const node = useNode(test, {
  async setup(node) {
    alice = await node.party('alice')
    token = await node.token({ readAs: alice })
    const payload = { issuer: alice, owner: alice, amount: '100', currency: 'EUR', observers: [] }
    iou = (await node.as(alice).create(Iou, payload)).contractId
  },
})

/** The page and the Ledger API have one origin, as behind the proxy of an application. */
test.beforeEach(async ({ page }) => {
  await page.route(`${app}/`, (route) => route.fulfill({ path: fileURLToPath(new URL('page.html', import.meta.url)) }))
  await page.route(`${app}/v2/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    await route.fulfill({ response: await route.fetch({ url: node().url + pathname }) })
  })
})

test('the page shows an IOU', async ({ page }) => {
  await page.goto(`${app}/#${encodeURIComponent(`${alice} ${token}`)}`)
  await expect(page.getByRole('listitem')).toHaveText(['100 EUR'])
})

test('the page shows the parts of an IOU that was split', async ({ page }) => {
  await node().as(alice).exercise(Iou, iou, 'Iou_Split', { amount: '30' })
  await page.goto(`${app}/#${encodeURIComponent(`${alice} ${token}`)}`)
  await expect(page.getByRole('listitem')).toHaveText(['30 EUR', '70 EUR'])
})
