// The overview in the browser: what the ledger holds, what is new, why commands were refused, charts with values.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAccessible, useExplorer } from '../fixtures/explorer.ts'
import { exercise, iouType } from '../fixtures/ledger.ts'

describe('the overview', () => {
  let refusedId = ''
  const explorer = useExplorer(async (ledger) => {
    refusedId = (await ledger.submit([ledger.createIou()])).contractId
    const split = () => ledger.commandsOf([exercise(iouType, refusedId, 'Iou_Split', { amount: '1000' })])
    for (let turn = 0; turn < 2; turn += 1) await ledger.post('/v2/commands/submit-and-wait', split())
  })

  test('counts contracts, parties and commands, and says why commands were refused', async () => {
    const page = await explorer.open('/')
    await page.getByRole('link', { name: /^Parties \d/ }).waitFor()
    const contracts = page.getByRole('link', { name: /^Active contracts \d/ })
    const before = Number((await contracts.locator('.tile-value').textContent())!)
    await explorer.ledger.submit([explorer.ledger.createIou()])
    await page.getByRole('link', { name: `Active contracts ${before + 1}` }).waitFor()
    await page.getByText('2 refused').waitFor()
    await assertAccessible(page)
    const causes = page.getByRole('region', { name: 'Why commands were refused' })
    await causes.getByText(/Invalid amount/).waitFor()
    await causes.getByRole('link', { name: 'DAML_FAILURE' }).click()
    await page
      .getByText(/Invalid amount/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Only DAML_FAILURE' }).click()
    assert.match(page.url(), /refusals$/)
  })

  test('says what is new since the last visit, and shows it', async () => {
    const { ledger } = explorer
    const first = await explorer.open('/')
    await first.getByText(`Ledger end ${await ledger.end()}`).waitFor()
    await first.getByText('Latest updates').waitFor()
    assert.equal(await first.getByText(/updates? since/).count(), 0, 'nothing is new at the first visit')
    const isKept = () => Object.keys(localStorage).some((key) => key.startsWith('tallystick-seen '))
    await first.waitForFunction(isKept)
    await first.close()
    for (let index = 0; index < 3; index += 1) await ledger.submit([ledger.createIou()], { commandId: `new-${index}` })
    const page = await explorer.open('/')
    await page.getByText(/^3 updates since (\w+ )?\d\d:\d\d/).waitFor()
    await page.reload()
    await page.getByText(/^3 updates since (\w+ )?\d\d:\d\d/).waitFor()
    await page.getByRole('link', { name: 'Show them' }).click()
    await page.getByRole('row', { name: /new-2/ }).waitFor()
    assert.equal(await page.getByRole('row').count(), 4)
    await page.goBack()
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await page.getByText(/updates? since/).waitFor({ state: 'detached' })
  })

  test('tells the value of a moment under the pointer and by keys', async () => {
    const page = await explorer.open('/')
    const chart = page.getByRole('slider', { name: 'Commands, moment' })
    await page.locator('[role=slider]:not([aria-valuemax="0"])').first().waitFor()
    await chart.hover()
    await page
      .getByRole('figure')
      .first()
      .getByText(/per second at \d\d:\d\d:\d\d$/)
      .waitFor()
    await page.mouse.move(0, 0)
    await chart.focus()
    await page.keyboard.press('Home')
    assert.equal(await chart.getAttribute('aria-valuenow'), '0')
    assert.match((await chart.getAttribute('aria-valuetext'))!, /per second at \d\d:\d\d:\d\d$/)
    await page
      .getByRole('figure')
      .first()
      .getByText(/per second at/)
      .waitFor()
  })
})
