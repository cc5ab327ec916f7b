// The API's description in the explorer: found, read and tried.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'

describe('the API', () => {
  const explorer = useExplorer(async ({ submit, createIou }) => void (await submit([createIou()])))

  test('is found by a field, and unfolds', async () => {
    const page = await explorer.open('/api')
    await page.getByRole('heading', { name: 'Interactive submission' }).waitFor()
    await page.getByLabel('Path, summary or field contains').fill('packageIdSelectionPreference wait-for')
    await page.getByText('field packageIdSelectionPreference').first().waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Users', exact: true }).count(), 0)
    await page.getByRole('link', { name: '/v2/commands/submit-and-wait-for-transaction-tree' }).click()
    await page.getByRole('heading', { name: /POST .*transaction-tree deprecated/ }).waitFor()
    const fields = page.locator('.schema-fields').first()
    await fields.getByRole('button', { name: 'Fields of commands' }).first().click()
    await fields.getByText('Identifies the command for deduplication').waitFor()
    assert.ok((await fields.getByText('required').count()) > 0)
  })

  test('is tried with typed bodies: a command is submitted', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/api/postV2CommandsSubmit-and-wait?package=quickstart', { colorScheme: 'dark' })
    const form = page.getByRole('form', { name: 'Try it' })
    await form
      .getByLabel('Example of commands.0.CreateCommand')
      .selectOption({ label: 'CreateCommand.quickstart.Iou.Iou' })
    const body = form.getByLabel('Body')
    const example = JSON.parse(await body.inputValue())
    assert.equal(example.commands[0].CreateCommand.templateId, '#quickstart:Iou:Iou')
    const { CreateCommand } = ledger.createIou() as { CreateCommand: { createArguments: object } }
    example.commands[0].CreateCommand.createArguments = CreateCommand.createArguments
    Object.assign(example, { actAs: (ledger.commandsOf([]) as { actAs: string[] }).actAs })
    await body.fill('{')
    assert.ok(await form.getByRole('button', { name: 'Send' }).isDisabled())
    await body.fill(JSON.stringify(example))
    const before = await ledger.end()
    await form.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer of the node' })
    await answer.getByText('200', { exact: true }).waitFor()
    assert.match(await answer.locator('pre').innerText(), /"completionOffset": \d+/)
    assert.ok((await ledger.end()) > before)
    await assertAccessible(page)
  })

  test('shows a refusal as it came, on a narrow screen', async () => {
    const page = await explorer.open('/api/getV2UsersUser-id', { width: 380 })
    const form = page.getByRole('form', { name: 'Try it' })
    await form.getByLabel('user-id (required)').fill('<script>nobody')
    await form.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('region', { name: 'Answer of the node' })
    await answer.getByText('400', { exact: true }).waitFor()
    assert.match(await answer.locator('pre').innerText(), /<script>nobody/)
    assert.ok((await overflowOf(page)) <= 0)
  })

  test('asks before something is lost', async () => {
    const { node } = explorer.ledger
    await node.call('POST', '/v2/users', { body: { user: { id: 'doomed' }, rights: [] } })
    const page = await explorer.open('/api/deleteV2UsersUser-id')
    const form = page.getByRole('form', { name: 'Try it' })
    await form.getByLabel('user-id (required)').fill('doomed')
    await form.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await node.call('GET', '/v2/users/doomed')).status, 200)
    await form.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByRole('region', { name: 'Answer of the node' }).getByText('200', { exact: true }).waitFor()
    assert.equal((await node.call('GET', '/v2/users/doomed')).status, 404)
  })
})
