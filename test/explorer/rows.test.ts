// Rows and values of lists: rows open as a whole and by keyboard, numbers are short and copied exactly.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useExplorer } from '../fixtures/explorer.ts'
import { exercise, iouType } from '../fixtures/ledger.ts'

/** Only those of this file, in whatever order its tests run. */
const list = '/updates?commandId=row-'

describe('rows', () => {
  let [first, last, contractId] = [0, 0, '']
  const explorer = useExplorer(async (ledger) => {
    contractId = (await ledger.submit([ledger.createIou()], { commandId: 'row-1' })).contractId
    first = await ledger.end()
    await ledger.submit([ledger.createIou()], { commandId: 'row-2' })
    last = await ledger.end()
  })

  test('open on a click anywhere, but not when text is selected', async () => {
    const page = await explorer.open(list)
    const command = page.getByText('row-1')
    const box = (await command.boundingBox())!
    await page.mouse.move(box.x + 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 })
    await page.mouse.up()
    assert.match((await page.evaluate('String(getSelection())')) as string, /row-/)
    assert.ok(page.url().endsWith(list))
    await page.evaluate('getSelection().empty()')
    await command.click()
    await page.getByRole('heading', { level: 1, name: `Update ${first}` }).waitFor()
  })

  test('open in a new tab with Ctrl or the middle button', async () => {
    const page = await explorer.open(list)
    for (const click of [{ modifiers: ['Control'] }, { button: 'middle' }] as const) {
      const opened = page.context().waitForEvent('page')
      await page.getByText('row-1').click(click as object)
      const other = await opened
      assert.match(other.url(), new RegExp(`/updates/${first}$`))
      await other.close()
    }
    assert.ok(page.url().endsWith(list))
  })

  test('are walked through with j and k, and opened with Enter', async () => {
    const page = await explorer.open(list)
    await page.getByText('row-2').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    assert.equal(await page.evaluate('document.activeElement.textContent'), String(first))
    await page.keyboard.press('k')
    assert.equal(await page.evaluate('document.activeElement.textContent'), String(last))
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `Update ${first}` }).waitFor()
  })

  test('of refusals open on a click anywhere', async () => {
    const { ledger } = explorer
    const refused = ledger.commandsOf([exercise(iouType, contractId, 'Iou_Split', { amount: '1000' })])
    await ledger.post('/v2/commands/submit-and-wait', refused)
    const page = await explorer.open('/refusals')
    await page.getByText('Iou_Split').click()
    await page.getByText('Acting').waitFor()
    await page.getByText('Iou_Split', { exact: true }).click()
    await page.getByText('Acting').waitFor({ state: 'detached' })
  })

  test('numbers have no zeros at their end, but are copied exactly', async () => {
    const page = await explorer.open(`/updates/${first}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const amount = page.getByRole('region', { name: 'Events' }).getByTitle('100.0000000000')
    await amount.waitFor()
    assert.equal((await amount.locator('.zeros').boundingBox())!.width, 0)
    await amount.selectText()
    await page.keyboard.press('Control+c')
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), '100.0000000000')
  })

  test('a long list of a value shows more when somebody asks, also when its type arrives', async () => {
    const { ledger } = explorer
    const observers: string[] = []
    for (let index = 0; index < 25; index += 1) {
      const { json } = await ledger.node.call('POST', '/v2/parties', { body: { partyIdHint: `observer-${index}` } })
      observers.push(json.partyDetails.party)
    }
    await ledger.submit([ledger.createIou({ observers })])
    const page = await explorer.open('/updates')
    await page.getByRole('heading', { level: 1, name: 'Updates' }).waitFor() // It has signed in: the address has no key.
    const held = Promise.withResolvers<void>()
    await page.route('**/docs/types*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${page.url()}/${await ledger.end()}`)
    const events = page.getByRole('region', { name: 'Events' })
    await page.getByRole('button', { name: 'Show 5 more' }).click()
    await page.getByRole('button', { name: 'Show 5 more' }).waitFor({ state: 'detached' })
    held.resolve() // The types come later, and close nothing.
    await events.locator('.value.number').first().waitFor()
    assert.equal(await events.locator('.items > li').count(), 25)
  })

  test('ten parties have ten colours', async () => {
    const { node } = explorer.ledger
    for (let index = 0; index < 6; index += 1) {
      // Their ids come before those of other tests.
      await node.call('POST', '/v2/parties', { body: { partyIdHint: `a-${index}` } })
    }
    const page = await explorer.open('/parties')
    await page.getByRole('row').nth(10).waitFor()
    const colours = (await page.evaluate(
      '[...document.querySelectorAll("tbody tr a.party")].map((party) => getComputedStyle(party).color)',
    )) as string[]
    assert.ok(colours.length >= 10)
    assert.equal(new Set(colours.slice(0, 10)).size, 10)
  })
})
