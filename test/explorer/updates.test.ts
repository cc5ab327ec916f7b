// The pages of updates, in a real browser: live, filtered, one as a tree.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useExplorer } from '../fixtures/explorer.ts'
import { iouType } from '../fixtures/ledger.ts'

const script = '<script>alert(1)</script><img src=x onerror=alert(2)>'

describe('updates', () => {
  let split = 0
  const explorer = useExplorer(async (ledger) => {
    const { contractId } = await ledger.submit([ledger.createIou({ currency: script })])
    const choice = { choice: 'Iou_Split', choiceArgument: { amount: '30' } }
    await ledger.submit([{ ExerciseCommand: { templateId: iouType, contractId, ...choice } }])
    split = await ledger.end()
  })

  test('come as they happen, unless one pauses', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/updates')
    await page.getByRole('row', { name: /Iou_Split/ }).waitFor()
    await ledger.submit([ledger.createIou()], { commandId: 'live-1' })
    await page.getByRole('row', { name: /live-1/ }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await ledger.submit([ledger.createIou()], { commandId: 'live-2' })
    await page.getByText(`Ledger end ${await ledger.end()}`).waitFor()
    assert.equal(await page.getByRole('row', { name: /live-2/ }).count(), 0)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('row', { name: /live-2/ }).waitFor()
  })

  test('are filtered by kind, choice, template and command, in an address that can be shared', async () => {
    const page = await explorer.open('/updates?choice=Iou_Sp')
    await page.getByRole('row', { name: /Iou_Split/ }).waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await page.getByLabel('Choice').fill('')
    await page.getByLabel('Kind').selectOption('topology')
    await page.getByRole('row', { name: /carol/ }).first().waitFor()
    await page.getByRole('row', { name: /Iou/ }).first().waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).search, '?kind=topology')
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    const template = page.getByRole('combobox', { name: 'Template or interface' })
    await template.fill('iou:iou')
    await page.getByRole('option', { name: 'quickstart:Iou:Iou', exact: true }).click()
    await page.getByRole('row', { name: /carol/ }).first().waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Iou_Split/ }).waitFor()
    await template.fill('#quickstart:Iou:Nothing')
    await page.getByText('None found').waitFor()
  })

  test('are filtered by party, and by time in any zone', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/updates')
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Party', exact: true }).fill('carol')
    await page.getByRole('option', { name: 'carol' }).click()
    await page.getByText('Rows show what carol sees').waitFor()
    await page.getByRole('row', { name: /Iou/ }).first().waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /carol/ }).first().waitFor()
    assert.equal(new URL(page.url()).searchParams.get('party'), ledger.carol)

    await page.getByRole('button', { name: 'Clear the filter' }).click()
    const row = page.getByRole('row', { name: /Iou_Split/ })
    const recorded = new Date((await row.getByRole('time').getAttribute('datetime'))!)
    // Browsers write no seconds if they are zero.
    const second = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace(/:00$/, '')
    await page.getByTitle('Change between your time zone and UTC').click()
    await page.getByLabel('To (UTC)').fill(second(recorded.getTime() - 60_000))
    await page.getByText('No update passes the filter').waitFor()
    await page.getByLabel('To (UTC)').fill(second(recorded.getTime() + 60_000))
    await row.waitFor()
    await page.getByLabel('From (UTC)').fill(second(recorded.getTime() - 60_000))
    await row.waitFor()
    await page.getByLabel('From (UTC)').fill(second(recorded.getTime() + 1_000))
    await row.waitFor({ state: 'detached' })
  })

  test('are shown as a tree, with typed fields and who sees what; texts are never markup', async () => {
    const page = await explorer.open(`/updates/${split}`, { colorScheme: 'dark' })
    const events = page.getByRole('region', { name: 'Events' })
    await events.getByText('Iou_Split').waitFor()
    assert.equal(await events.locator('[aria-level="2"]').count(), 2)
    await events.getByText('Seen by alice, bank').or(events.getByText('Seen by bank, alice')).first().waitFor()
    await events.getByText(script).first().waitFor()
    assert.equal(await page.locator('#content script, #content img').count(), 0)
    const changes = page.getByRole('region', { name: 'Active contracts before and after' })
    assert.equal(await changes.getByRole('listitem').count(), 3)
    await changes.locator('.change.gone').getByTitle('100.0000000000').waitFor()
    await events.getByRole('button', { name: /^Details of exercise/ }).click()
    await events.getByText('Argument').waitFor({ state: 'detached' })
    await events.getByRole('link', { name: /^00/ }).first().click()
    await page.getByRole('heading', { level: 1, name: /^Iou/ }).waitFor()
  })

  test('are copied as JSON, curl and TypeScript', async () => {
    const page = await explorer.open(`/updates/${split}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
    await page.getByRole('button', { name: 'JSON' }).click()
    await page.getByText('Copied the update as JSON').waitFor()
    assert.equal(JSON.parse(await copied()).Transaction.value.offset, split)
    await page.getByRole('button', { name: 'curl' }).click()
    await page.getByText('Copied the request as curl').waitFor()
    assert.match(await copied(), /^curl .*update-by-offset/)
    await page.getByRole('button', { name: 'TypeScript' }).click()
    await page.getByText('Copied the request as TypeScript').waitFor()
    assert.match(await copied(), /await fetch\(/)
  })

  test('that do not exist, or that one may not see, are not there', async () => {
    const { ledger } = explorer
    const token = await ledger.userWith('carol-only', { kind: { CanReadAs: { value: { party: ledger.carol } } } })
    const page = await explorer.open(`/updates/${split}`, { token })
    await page.getByText('There is nothing to see at this place').waitFor()
  })
})
