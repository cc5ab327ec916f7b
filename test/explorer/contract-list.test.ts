// A list of contracts that has several pages, in a real browser: the node orders, counts and filters it, and the address says
// what is shown.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { signWith } from '../fixtures/issuer.ts'
import { iouType } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'

const contracts = 120
const list = `/contracts?template=${encodeURIComponent(iouType)}`
const amounts = (page: Page) => page.locator('tbody td:nth-child(4) .number')
const currencies = ['EUR', 'CHF', 'USD']

/** Numbers may be shown with the zeros of their scale. */
async function shownAmounts(page: Page): Promise<number[]> {
  await amounts(page).first().waitFor() // Their type may come later.
  return (await amounts(page).allTextContents()).map(Number)
}

describe('a long list of contracts', () => {
  let beforeLast = 0
  const explorer = useExplorer(async (ledger) => {
    // The amounts are in another order than the contracts: 7 and 120 have no common divisor.
    const numbers = Array.from({ length: contracts }, (_, index) => ((index * 7) % contracts) + 1)
    const create = (amount: number) => ledger.createIou({ amount: String(amount), currency: currencies[amount % 3] })
    await ledger.submit(numbers.slice(0, -1).map(create))
    beforeLast = await ledger.end()
    await ledger.submit(numbers.slice(-1).map(create))
  })

  test('begins with the newest, says how many there are, and has pages that reloads and Back keep', async () => {
    const page = await explorer.open(list)
    await page.getByText('1 to 50 of 120 contracts, newest first').waitFor()
    const newest = (await shownAmounts(page))[0]
    assert.equal(newest, ((119 * 7) % 120) + 1)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 to 100 of 120 contracts').waitFor()
    const second = await shownAmounts(page)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('101 to 120 of 120 contracts').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Next' }).count(), 0)
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByText('51 to 100 of 120 contracts').waitFor()
    await page.reload()
    await page.getByText('51 to 100 of 120 contracts').waitFor()
    assert.deepEqual(await shownAmounts(page), second)
    await page.locator('tbody a.mono').first().click()
    await page.getByRole('region', { name: 'About the contract' }).waitFor()
    await page.goBack()
    await page.getByText('51 to 100 of 120 contracts').waitFor()
    assert.deepEqual(await shownAmounts(page), second)
    const shared = await explorer.open(page.url().split('/explorer')[1]!)
    await shared.getByText('51 to 100 of 120 contracts').waitFor()
    assert.deepEqual(await shownAmounts(shared), second)
    await shared.getByRole('button', { name: 'First page' }).click()
    await shared.getByText('1 to 50 of 120 contracts').waitFor()
    await page.goBack()
    await page.getByText('1 to 50 of 120 contracts').waitFor()
  })

  test('begins anew for another reader: a page is of what one reader sees', async () => {
    const page = await explorer.open(list)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 to 100 of 120 contracts').waitFor()
    await page.getByRole('combobox', { name: 'View as party' }).fill('alice')
    await page.getByRole('option', { name: 'alice' }).click()
    await page.getByText('1 to 50 of 120 contracts').waitFor()
    assert.equal(new URL(page.url()).searchParams.has('page'), false)
  })

  test('is sorted as a whole, by creation or by a field', async () => {
    const page = await explorer.open(list)
    await page.getByRole('button', { name: 'amount' }).click()
    await page.getByText('1 to 50 of 120 contracts, by amount, smallest first').waitFor()
    assert.deepEqual((await shownAmounts(page)).slice(0, 3), [1, 2, 3])
    await page.getByRole('button', { name: 'amount' }).click()
    await page.getByText('by amount, largest first').waitFor()
    assert.deepEqual((await shownAmounts(page)).slice(0, 3), [120, 119, 118])
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 to 100 of 120 contracts, by amount').waitFor()
    assert.equal((await shownAmounts(page))[0], 70)
    await page.reload()
    await page.getByText('51 to 100 of 120 contracts, by amount, largest first').waitFor()
    await page.getByRole('columnheader', { name: 'amount' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await page.getByRole('button', { name: 'Created' }).click()
    await page.getByText('1 to 50 of 120 contracts, newest first').waitFor()
    await page.getByRole('button', { name: 'Created' }).click()
    await page.getByText('1 to 50 of 120 contracts, oldest first').waitFor()
    assert.equal((await shownAmounts(page))[0], 1)
  })

  test('is filtered by fields, by what one enters and by what one sees', async () => {
    const page = await explorer.open(list)
    await page.getByText('of 120 contracts').waitFor()
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByLabel('Field').selectOption('amount')
    await page.getByLabel('Test').selectOption('greater')
    await page.getByLabel('Value').fill('110')
    await assertAccessible(page)
    await page.getByLabel('Value').press('Enter')
    await page.getByText(/^10 contracts, newest first/).waitFor()
    assert.deepEqual((await shownAmounts(page)).toSorted(), [111, 112, 113, 114, 115, 116, 117, 118, 119, 120])
    assert.equal(new URL(page.url()).searchParams.get('where'), 'amount greater 110')

    const row = page.getByRole('row', { name: /CHF/ }).first()
    await row.getByText('CHF').hover()
    await row.getByTitle('Filter by this currency').click()
    await page.getByRole('button', { name: 'currency is CHF', exact: true }).waitFor()
    await page.getByText(/^3 contracts, newest first/).waitFor()
    await page.reload()
    await page.getByText(/^3 contracts, newest first/).waitFor()
    await page.getByRole('button', { name: 'amount is greater than 110', exact: true }).click()
    await page.getByLabel('Value').fill('116')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText(/^1 contract, newest first/).waitFor()
    assert.deepEqual(await shownAmounts(page), [118])
    await assertAccessible(page)
    await page.goBack()
    await page.getByText(/^3 contracts, newest first/).waitFor()
    await page.getByRole('button', { name: 'Remove the filter amount is greater than 110' }).click()
    await page.getByText(/^40 contracts, newest first/).waitFor()
    await page.getByRole('button', { name: 'Remove the filter currency is CHF' }).click()
    await page.getByText('1 to 50 of 120 contracts').waitFor()

    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByLabel('Field').selectOption('owner')
    await page.getByRole('combobox', { name: 'Value' }).fill('bob')
    await page.getByRole('option', { name: 'bob' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('No contracts of Iou that pass the filter are active').waitFor()
    await page.getByRole('button', { name: 'owner is bob', exact: true }).waitFor()
  })

  test('is filtered and sorted at past offsets as well', async () => {
    const page = await explorer.open(`${list}&at=${beforeLast}&where=amount+less+4&sort=amount`)
    await page.getByText(/^3 contracts, by amount, smallest first/).waitFor()
    await page.goto(page.url().replace('where=amount+less+4', 'where=currency+equals+USD'))
    await page.getByText(/^39 contracts|^40 contracts/).waitFor()
    await page.goto(page.url().replace('&where=currency+equals+USD&sort=amount', ''))
    await page.getByText('1 to 50 of 119 contracts, newest first').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 to 100 of 119 contracts').waitFor()
    await page.getByRole('button', { name: 'Now' }).click()
    await page.getByText('1 to 50 of 120 contracts').waitFor()
  })

  test('tells how far a long search is, and stops when one asks', async () => {
    const page = await explorer.open(list)
    await page.getByText('of 120 contracts').waitFor()
    const held = Promise.withResolvers<void>()
    let filtered = 0
    await page.route('**/explorer/find/contracts', async (route) => {
      const { filters } = route.request().postDataJSON()
      if (filters === undefined) return route.continue()
      filtered += 1
      if (filtered === 2) await held.promise // The second part of the search never ends.
      const response = await route.fetch()
      const body = await response.json()
      const some = { ...body, activeContracts: body.activeContracts.slice(0, 2), looked: 60, nextPageToken: 'further' }
      await (filtered === 1 ? route.fulfill({ response, json: some }) : route.continue())
    })
    await page.goto(`${page.url()}&where=amount+greater+1`)
    await page.getByText('Looked through 60 of 120 contracts, 2 found so far').waitFor()
    assert.equal(await page.locator('tbody tr').count(), 2)
    await assertAccessible(page)
    const isCancelled = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Stop' }).click()
    await isCancelled
    await page.getByRole('button', { name: 'Look further' }).waitFor()
    assert.equal(await page.locator('tbody tr').count(), 2)
    held.resolve()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('comes though the node did not answer at first', async () => {
    const page = await explorer.open('/parties')
    await page.getByRole('row', { name: /alice/ }).waitFor()
    await page.clock.install()
    let isSilent = true
    await page.route('**/explorer/find/contracts', (route) => (isSilent ? route.abort() : route.continue()))
    await page.getByRole('link', { name: 'Contracts', exact: true }).click()
    await page.getByText('The node does not answer').waitFor()
    isSilent = false
    await page.clock.runFor(10_000)
    await page.getByText('1 to 50 of').waitFor()
    assert.equal(await page.getByText('The node does not answer').count(), 0)
  })

  test('has typed fields though the types could not be read at first', async () => {
    const page = await explorer.open('/parties')
    await page.getByRole('row', { name: /alice/ }).waitFor()
    const lost = new Set<string>()
    await page.route('**/docs/types*', (route) => {
      const url = route.request().url()
      if (lost.has(url)) return route.continue()
      lost.add(url)
      return route.abort()
    })
    await page.goto(new URL(`/explorer${list}`, page.url()).href)
    await amounts(page).first().waitFor()
  })

  test('of a node that is no development node has what is cheap there, and says why the rest is not offered', async () => {
    const secret = 'a secret of thirty-two characters'
    const dars = [new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname]
    const auth = { keys: [{ type: 'hs256', secret } as const] }
    await using node = await startTestNode({ settings: { development: false, explorer: true, dars, auth } })
    const claims = { sub: 'participant_admin', scope: 'daml_ledger_api', exp: Math.floor(Date.now() / 1000) + 240 }
    const token = await signWith(new TextEncoder().encode(secret), { alg: 'HS256' }, claims)
    const { json } = await node.call('POST', '/v2/parties', { token, body: { partyIdHint: 'dora' } })
    const { party } = json.partyDetails
    const rights = ['CanActAs', 'CanReadAs'].map((kind) => ({ kind: { [kind]: { value: { party } } } }))
    await node.call('POST', '/v2/users/participant_admin/rights', {
      token,
      body: { userId: 'participant_admin', rights },
    })
    const create = { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner: party } } }
    const commands = Array.from({ length: 60 }, () => create)
    const body = { commands, commandId: 'wallets', actAs: [party] }
    assert.equal((await node.call('POST', '/v2/commands/submit-and-wait', { token, body })).status, 200)
    const template = encodeURIComponent('#quickstart:Wallet:Wallet')
    const page = await explorer.openOn(node, `/contracts?template=${template}&where=owner+equals+x&sort=owner`, {
      token,
    })
    await page.getByText('1 to 50 of 60 contracts, newest first').waitFor()
    await page.getByText('only development nodes offer them').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add a filter' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'owner' }).count(), 0)
    assert.equal(await page.getByLabel('Contains').count(), 0)
    await page.getByRole('button', { name: 'Created' }).click()
    await page.getByText('1 to 50 of 60 contracts, oldest first').waitFor()
  })

  test('fits a narrow screen, filters and all', async () => {
    const page = await explorer.open(`${list}&where=amount+greater+1`, { width: 380, colorScheme: 'dark' })
    await page.getByText('1 to 50 of more than 50 contracts').waitFor()
    await page.getByRole('button', { name: 'Add a filter' }).click()
    assert.ok((await overflowOf(page)) <= 0)
    await assertAccessible(page)
  })
})
