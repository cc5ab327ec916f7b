// The controls of a development node, by mouse: time, snapshots, faults.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAccessible, useExplorer } from '../fixtures/explorer.ts'

describe('the controls', () => {
  const explorer = useExplorer(async ({ submit, createIou }) => void (await submit([createIou()])))
  const call = (path: string) => explorer.ledger.node.call('GET', path)

  test('moves the time forward, and tells why it does not go back', async () => {
    const page = await explorer.open('/controls')
    const before = Date.parse((await call('/v2/time')).json.currentTime)
    await page.getByRole('button', { name: '1 day' }).click()
    await page.getByText('The time was moved').waitFor()
    const after = Date.parse((await call('/v2/time')).json.currentTime)
    assert.ok(after - before >= 86_400_000)
    await page.getByLabel('By a duration, or to a time').fill('2001-01-01T00:00:00Z')
    await page.getByRole('button', { name: 'Move' }).click()
    await page.getByRole('alert').waitFor()
  })

  test('takes a snapshot, restores it after a question, and deletes it', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/controls', { colorScheme: 'dark' })
    await page.getByLabel('Name').fill('before')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    const row = page.getByRole('row', { name: /before/ })
    await row.waitFor()
    const end = await ledger.end()
    await ledger.submit([ledger.createIou()])
    await row.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.notEqual(await ledger.end(), end)
    await row.getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore before' }).click()
    await page.getByText('Restored before').waitFor()
    assert.equal(await ledger.end(), end)

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'before.snapshot')
    await page.getByLabel('Add from a file').setInputFiles(await download.path())
    await page.getByText(/^Added /).waitFor()
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
  })

  test('orders a fault, which strikes, and cancels another', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/controls', { width: 380 })
    await page.getByRole('button', { name: 'Order a fault' }).click()
    await assertAccessible(page)
    await page.getByLabel('Error code').fill('NO_SUCH_CODE')
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByLabel('Error code').fill('CONTRACT_NOT_FOUND')
    await page.getByLabel('Times').fill('0')
    await page.getByLabel('Only of user').fill('app')
    await page.getByRole('button', { name: 'Order', exact: true }).click()
    await page.getByRole('row', { name: /refuses with CONTRACT_NOT_FOUND/ }).waitFor()
    const refused = await ledger.post('/v2/commands/submit-and-wait', ledger.commandsOf([ledger.createIou()]))
    assert.equal(refused.json.code, 'CONTRACT_NOT_FOUND')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('No faults are on order').waitFor()
  })

  test('resets the ledger after a question', async () => {
    const { node } = explorer.ledger
    await node.call('POST', '/dev/snapshots', { body: { name: 'others' } })
    const page = await explorer.open('/controls')
    await page.getByRole('button', { name: 'Reset to the first start' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the ledger' }).click()
    await page.getByText('Reset', { exact: true }).waitFor()
    assert.equal((await call('/v2/state/ledger-end')).json.offset, 0)
    await node.call('POST', '/dev/snapshots/others/restore') // The other tests go on from there.
  })
})
