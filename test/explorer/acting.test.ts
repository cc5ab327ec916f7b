// Creating, exercising and trying again, by mouse, with a dry run beside the form.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { effects, effectsDar, exercise, iouType, right } from '../fixtures/ledger.ts'

async function pick(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).fill(name)
  await page.getByRole('option', { name }).first().click()
}

describe('acting', () => {
  const explorer = useExplorer(async ({ node }) => {
    await node.call('POST', '/v2/users/participant_admin/rights', {
      body: { userId: 'participant_admin', rights: [right('CanReadAsAnyParty')] },
    })
  })

  /** The administrator may act as nobody; `app` may act as all, and here administers, too. */
  async function open(path: string, options: { width?: number; colorScheme?: 'dark' } = {}): Promise<Page> {
    const { node, token } = explorer.ledger
    await node.call('POST', '/v2/users/app/rights', { body: { userId: 'app', rights: [right('ParticipantAdmin')] } })
    return explorer.open(path, { token, ...options })
  }

  test('a contract is created from its fields: the dry run says what will happen, and nothing has yet', async () => {
    const { ledger } = explorer
    const page = await open('/act/create')
    await pick(page, 'Template', 'quickstart:Iou:Iou')
    await page.getByRole('heading', { name: 'Create Iou' }).waitFor()
    await page.getByRole('button', { name: 'issuer is missing' }).waitFor()
    await pick(page, 'issuer', 'bank')
    await pick(page, 'owner', 'alice')
    await page.getByRole('button', { name: 'Remove alice' }).click()
    await page.getByLabel('amount').fill('a lot')
    await page.getByText('A number, such as 12.5', { exact: true }).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled())
    await page.getByLabel('amount').fill('12.5')
    await page.getByLabel('currency').fill('EUR')
    const dryRun = page.getByRole('region', { name: 'Dry run' })
    await dryRun.getByText('DAML_AUTHORIZATION_ERROR').waitFor()
    await assertAccessible(page)
    const end = await ledger.end()
    await dryRun.getByRole('button', { name: 'Add alice to Act as' }).click()
    await dryRun.getByText('create', { exact: true }).waitFor()
    await dryRun.getByText(/steps/).waitFor()
    assert.equal(await ledger.end(), end)
    await page.getByRole('button', { name: 'Add to observers' }).click()
    await pick(page, 'observers 1', 'carol')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: `Update ${end + 1}` }).waitFor()
    await page.getByText('12.5').first().waitFor()
  })

  test('a choice is exercised from the page of its contract; a refusal shows its place in Daml, and is tried again', async () => {
    const { ledger } = explorer
    const { contractId } = await ledger.submit([ledger.createIou()])
    const page = await open(`/contracts/${contractId}`, { colorScheme: 'dark' })
    await page.getByRole('link', { name: 'Iou_Split' }).click()
    await page.getByRole('heading', { name: 'Exercise Iou_Split' }).waitFor()
    await page.getByRole('button', { name: 'Remove alice' }).waitFor() // Who controls the choice acts.
    await page.getByLabel('amount').fill('1000')
    const dryRun = page.getByRole('region', { name: 'Dry run' })
    await dryRun.getByText('Iou:require').first().waitFor()
    await page.getByRole('button', { name: 'Iou_Split', exact: true }).click()
    await page.getByRole('form').getByRole('alert').waitFor()

    await page.getByRole('link', { name: 'Refusals' }).click()
    await page
      .getByRole('button', { name: /Details of DAML_FAILURE/ })
      .first()
      .click()
    await page.getByText('Iou:require').first().waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    assert.equal(await page.getByLabel('amount').inputValue(), '1000')
    await page.getByLabel('amount').fill('30')
    await dryRun.getByText('archives').waitFor()
    await dryRun
      .getByText(/^00[0-9a-f]{6}…/)
      .first()
      .waitFor()
    assert.equal(
      await dryRun.getByRole('link', { name: /^00/ }).count(),
      0,
      'a contract that is not there yet has no page',
    )
    await page.getByRole('button', { name: 'Iou_Split', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /Update/ }).waitFor()
    const changes = page.getByRole('region', { name: 'Active contracts before and after' })
    await changes.getByTitle('70.0000000000').first().waitFor()
  })

  test('a refusal appears as it comes', async () => {
    const { ledger } = explorer
    const page = await open('/refusals')
    await page.getByRole('heading', { level: 1, name: 'Refusals' }).waitFor()
    const commands = ledger.commandsOf([exercise(iouType, '00ab', 'Archive')], { commandId: 'gone' })
    await ledger.post('/v2/commands/submit-and-wait', commands)
    await page.getByText('Archive').first().waitFor()
  })

  test('variants, optionals, lists of records and maps have fields that nest', async () => {
    const { node } = explorer.ledger
    await node.call('POST', '/v2/packages', {
      body: readFileSync(effectsDar),
      headers: { 'content-type': 'application/octet-stream' },
    })
    const page = await open(`/act/create?template=${encodeURIComponent(`${effects}:Effects:Target`)}`, { width: 380 })
    await page.getByRole('button', { name: 'Add to signatories' }).click()
    await pick(page, 'signatories 1', 'alice')
    await page.getByLabel('precondition').waitFor()
    await assertAccessible(page)
    assert.ok((await overflowOf(page)) <= 0)
    await page.getByRole('button', { name: 'Remove signatories 1' }).click()
    assert.equal(await page.getByRole('combobox', { name: 'signatories 1' }).count(), 0)
  })
})
