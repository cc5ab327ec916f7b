// The story of the README, by mouse alone: parties, an issue, a split, a transfer, a move, a refusal, and the way back. A
// second browser, as another party, sees only its part.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useExplorer } from '../fixtures/explorer.ts'

async function pick(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).fill(name)
  await page.getByRole('option', { name }).first().click()
}

async function recorded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: /^Update \d+$/ }).waitFor()
}

/** From the page of an update to its newest contract. */
async function toNewContract(page: Page): Promise<void> {
  await recorded(page)
  const changes = page.getByRole('region', { name: 'Active contracts before and after' })
  await changes.locator('.change.new').last().getByRole('link').first().click()
  await page.getByRole('region', { name: 'About the contract' }).waitFor()
}

async function exercise(page: Page, choice: string, actor: string, fill?: () => Promise<void>): Promise<void> {
  await page.getByRole('link', { name: choice }).click()
  await page.getByRole('heading', { name: `Exercise ${choice}` }).waitFor()
  await pick(page, 'Act as', actor)
  await fill?.()
  await page.getByRole('button', { name: choice, exact: true }).click()
}

describe('the story of the README, by mouse', () => {
  const explorer = useExplorer()

  test('from nothing to a transfer, a move and back', async () => {
    const page = await explorer.open('')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page
      .getByRole('row', { name: /private/ })
      .first()
      .waitFor()
    await page.getByRole('slider', { name: /Commands/ }).waitFor()

    await page.getByRole('link', { name: 'Parties', exact: true }).click()
    for (const hint of ['mint', 'ann', 'ben']) {
      await page.getByRole('button', { name: 'New party' }).click()
      await page.getByLabel('Hint').fill(hint)
      await page.getByRole('button', { name: 'Allocate' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }

    await page.getByRole('link', { name: 'Packages' }).click()
    await page.getByRole('link', { name: 'quickstart' }).click()
    const proposal = page.getByRole('region', { name: 'IouProposal' })
    await proposal.getByRole('link', { name: 'Create' }).click()
    await pick(page, 'Act as', 'mint')
    await pick(page, 'issuer', 'mint')
    await pick(page, 'owner', 'ann')
    await page.getByLabel('amount').fill('100')
    await page.getByLabel('currency').fill('EUR')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await toNewContract(page)
    await exercise(page, 'IouProposal_Accept', 'ann')
    await toNewContract(page)
    const iou = page.url()
    await exercise(page, 'Iou_Split', 'ann', () => page.getByLabel('amount').fill('30'))
    await toNewContract(page)
    await exercise(page, 'Iou_Offer', 'ann', () => pick(page, 'newOwner', 'ben'))
    await toNewContract(page)
    await exercise(page, 'TransferOffer_Accept', 'ben')
    await toNewContract(page)

    await page.getByRole('button', { name: 'Move' }).click()
    await page.getByRole('dialog').getByLabel('As').selectOption({ label: 'ben' })
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await recorded(page)
    await page.getByText('assign', { exact: true }).first().waitFor()

    await page.goto(iou)
    await page.getByText('archived', { exact: true }).first().waitFor()

    await page.getByRole('link', { name: 'Controls' }).click()
    await page.getByLabel('Name').fill('moved')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('row', { name: /moved/ }).waitFor()
    const end = await explorer.ledger.end()

    await page.getByRole('link', { name: 'Contracts', exact: true }).click()
    await page.getByRole('row', { name: /ben/ }).getByRole('link').first().click()
    await exercise(page, 'Iou_Split', 'ben', () => page.getByLabel('amount').fill('1000'))
    await page.getByRole('form').getByRole('alert').waitFor()
    await page.getByLabel('amount').fill('5')
    await page.getByRole('button', { name: 'Iou_Split', exact: true }).click()
    await recorded(page)
    assert.notEqual(await explorer.ledger.end(), end)

    await page.getByRole('link', { name: 'Controls' }).click()
    await page.getByRole('row', { name: /moved/ }).getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore moved' }).click()
    await page.getByText('Restored moved').waitFor()
    assert.equal(await explorer.ledger.end(), end)

    const { node } = explorer.ledger
    const { json } = await node.call('POST', '/dev/tokens', { body: { parties: ['ben'] } })
    const other = await explorer.open('/contracts', { token: json.token, colorScheme: 'dark' })
    const rows = (of: Page) => of.getByRole('row', { name: /Iou:Iou/ })
    await rows(other).first().waitFor()
    await page.getByRole('link', { name: 'Contracts', exact: true }).click()
    await rows(page).nth(1).waitFor()
    assert.deepEqual([await rows(other).count(), await rows(page).count()], [1, 2])
    assert.equal(await other.getByText('ann').count(), 0)
  })
})
