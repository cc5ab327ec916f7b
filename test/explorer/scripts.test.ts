// Daml Scripts from the explorer: one with an argument, one that fails, and the ledger that they leave.
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { call } from '../fixtures/command.ts'
import { assertAccessible, useExplorer } from '../fixtures/explorer.ts'
import { startTestNode } from '../fixtures/node.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'

describe('the scripts', () => {
  const explorer = useExplorer(undefined, { settings: { dars: [scriptsDar] } })
  const choose = (page: Awaited<ReturnType<typeof explorer.open>>, name: string) =>
    page.getByLabel('Script', { exact: true }).selectOption({ label: `${name} (scripts-lf23 1.0.0)` })

  test('a script gets its argument from a form of its type, and shows its result', async () => {
    const page = await explorer.open('/scripts')
    const run = page.getByRole('button', { name: 'Run' })
    await choose(page, 'Scripts:doubled')
    await page.getByRole('button', { name: 'A value is missing' }).click()
    assert.ok(await page.getByLabel('Argument', { exact: true }).evaluate((field) => field.matches(':focus')))
    await page.keyboard.type('many')
    await page.getByRole('button', { name: 'A whole number' }).waitFor()
    assert.ok(await run.isDisabled())
    await assertAccessible(page)
    await page.getByLabel('Argument', { exact: true }).fill('21')
    await run.click()
    await page.getByText(/Scripts:doubled succeeded/).waitFor()
    await page.getByText('"42"').waitFor()
  })

  test('a record has a field for each of its own, or is given as JSON', async () => {
    const page = await explorer.open('/scripts')
    const { bank, alice } = explorer.ledger
    const run = page.getByRole('button', { name: 'Run' })
    await choose(page, 'Scripts:createCoin')
    for (const missing of ['issuer is missing', 'owner is missing', 'number is missing']) {
      await page.getByRole('button', { name: missing }).waitFor()
    }
    await page.getByRole('combobox', { name: 'issuer' }).fill(bank)
    await page.getByRole('combobox', { name: 'owner' }).fill(alice)
    await page.getByLabel('number', { exact: true }).fill('7')
    await run.click()
    await page.getByText(/Scripts:createCoin succeeded/).waitFor()
    await page.getByText(/create Scripts:Coin/).waitFor()
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    const json = page.getByLabel('Value', { exact: true })
    assert.deepEqual(JSON.parse(await json.inputValue()), { issuer: bank, owner: alice, number: '7' })
    await json.fill(JSON.stringify({ issuer: bank, owner: alice, count: 7 }))
    await page.getByRole('button', { name: 'count: There is no such field; there are issuer, owner, number' }).waitFor()
    assert.ok(await run.isDisabled())
    await page.reload()
    await page.getByText('As you left it').waitFor()
  })

  test('debug output is shown', async () => {
    const page = await explorer.open('/scripts')
    await choose(page, 'Scripts:debugging')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('before after').waitFor()
  })

  test('a failure is shown with what was done before, which the ledger keeps', async () => {
    const page = await explorer.open('/scripts', { width: 380 })
    await choose(page, 'Scripts:coinTooMany')
    await page.getByLabel('Take a snapshot first').check()
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText(/Expected submit to fail but it succeeded/).waitFor()
    await assertAccessible(page)
    assert.equal(await page.getByText(/create Scripts:Coin/).count(), 2)
    await page.getByRole('link', { name: /^Return to/ }).waitFor()
    await page.getByRole('link', { name: 'Open the ledger that it left' }).click()
    await page.locator('#content').getByText('Scripts:Coin').first().waitFor()
  })

  test('the ledger that a failed script of tallystick test left is shown as any other', async () => {
    using folder = temporaryFolder()
    await call(['test', scriptsDar, '--name', 'Scripts:coinTooMany$', '--keep', folder.path])
    await using node = await startTestNode({ store: 'sqlite' })
    await node.restart(() => {
      for (const name of readdirSync(node.folder)) {
        if (name.startsWith('ledger.sqlite')) rmSync(join(node.folder, name))
      }
      copyFileSync(join(folder.path, 'Scripts.coinTooMany', 'ledger.sqlite'), join(node.folder, 'ledger.sqlite'))
    })
    const page = await explorer.openOn(node, '/updates')
    await page.locator('#content').getByText('create Coin').first().waitFor()
    await page.getByRole('link', { name: 'Contracts' }).click()
    await page.locator('#content').getByText('ann').first().waitFor()
    await page.getByRole('link', { name: 'Parties' }).click()
    await page.locator('#content').getByRole('link', { name: 'ann', exact: true }).click()
    await page.locator('#content').getByText('Annotations', { exact: true }).waitFor()
  })
})
