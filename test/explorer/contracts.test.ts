// The pages of contracts, in a real browser: by template and interface, in the past, one with its history.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useExplorer } from '../fixtures/explorer.ts'
import { iouType, keys, keysDar, move, right, startTestLedger } from '../fixtures/ledger.ts'
import { startTestNode } from '../fixtures/node.ts'

describe('contracts', () => {
  let [first, beforeSplit] = ['', 0]
  const explorer = useExplorer(
    async (ledger) => {
      first = (await ledger.submit([ledger.createIou({ currency: 'CHF' })])).contractId
      await ledger.submit([ledger.createIou({ amount: '9' })])
      beforeSplit = await ledger.end()
      const choice = { choice: 'Iou_Split', choiceArgument: { amount: '30' } }
      await ledger.submit([{ ExerciseCommand: { templateId: iouType, contractId: first, ...choice } }])
    },
    { settings: { dars: [keysDar] } },
  )

  test('of a template have its fields as columns, sorted and searched', async () => {
    const page = await explorer.open('/contracts')
    await page.getByRole('row').nth(3).waitFor()
    await page.getByRole('combobox', { name: 'Template or interface' }).fill('quickstart:Iou:Iou')
    await page.getByRole('option', { name: 'quickstart:Iou:Iou', exact: true }).click()
    await page.getByRole('button', { name: 'amount' }).click()
    const amounts = page.locator('tbody td:nth-child(4) .number')
    await page.getByRole('columnheader', { name: 'amount' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByText('3 contracts, by amount, smallest first').waitFor()
    await amounts.nth(2).waitFor() // Their type may come later.
    assert.deepEqual(await amounts.allTextContents(), ['9.0000000000', '30.0000000000', '70.0000000000'])
    await page.getByLabel('Contains').fill('eur')
    await page.getByText('1 contract,').waitFor()
    assert.deepEqual(await amounts.allTextContents(), ['9.0000000000'])
    assert.match(page.url(), /template=%23quickstart%3AIou%3AIou&sort=amount&text=eur$/)
  })

  test('are shown through an interface, by its view', async () => {
    const page = await explorer.open('/contracts?interface=%23quickstart%3AHolding%3AHolding')
    await page.getByRole('columnheader', { name: 'owner' }).waitFor()
    assert.equal(await page.locator('tbody tr').count(), 3)
  })

  test('of the past are those at an offset', async () => {
    const page = await explorer.open(`/contracts?at=${beforeSplit}`, { colorScheme: 'dark' })
    await page
      .getByRole('row')
      .filter({ has: page.getByTitle('100.0000000000') })
      .waitFor()
    assert.equal(await page.locator('tbody tr').count(), 2)
    await page.getByLabel('At offset').fill(String(beforeSplit - 1))
    await page.getByText('1 contract,').waitFor()
    await page.getByLabel('Exact offset').fill(String(beforeSplit))
    await page.getByText('2 contracts').waitFor()
    await page.locator('.slider time').waitFor()
    await page.getByRole('button', { name: 'Now' }).click()
    await page.getByText(/^[34] contracts/).waitFor() // Another test adds one.
  })

  test('have a page with fields, views, choices and history', async () => {
    const page = await explorer.open(`/contracts/${first}`)
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('Iou_Split').waitFor()
    assert.deepEqual(await history.locator('.badge').allTextContents(), ['created', 'archived'])
    await page.getByRole('region', { name: 'View Holding' }).getByText('CHF').waitFor()
    await page.getByRole('region', { name: 'Choices' }).getByText('Iou_Offer').waitFor()
    assert.equal(await page.getByRole('region', { name: 'Choices' }).getByRole('link').count(), 0)
    await history.getByRole('link').nth(1).click()
    await page.getByRole('heading', { level: 1, name: `Update ${beforeSplit + 1}` }).waitFor()
  })

  test('have a key and a blob, if there are', async () => {
    const { ledger } = explorer
    const key = { maintainers: [ledger.alice], name: 'one key', maintainersFault: 'Fine' }
    const createArguments = { signatories: [ledger.alice], observers: [], key, keyFault: 'Fine', note: '' }
    const { contractId } = await ledger.submit([
      { CreateCommand: { templateId: `${keys}:Keys:Keyed`, createArguments } },
    ])
    const page = await explorer.open(`/contracts/${contractId}`)
    const about = page.getByRole('region', { name: 'About the contract' })
    await about.getByText('one key').waitFor()
    await about.getByRole('button', { name: 'Copy the blob for disclosure' }).waitFor()
  })

  test('that were moved before a fork have a page, too', async () => {
    await using original = await startTestLedger()
    const { contractId } = await original.submit([original.createIou({ currency: 'USD' })])
    await move(original, contractId, true)
    const token = await original.userWith('reader', right('ParticipantAdmin'), right('CanReadAsAnyParty'))
    await using fork = await startTestNode({ settings: { fork: { url: original.node.url, token } } })
    const page = await explorer.openOn(fork, `/contracts/${contractId}`)
    await page.getByRole('heading', { name: /^Iou 00.* active$/ }).waitFor()
    await page.getByRole('region', { name: 'Fields' }).getByText('USD').waitFor()
    await page.getByRole('region', { name: 'About the contract' }).getByText('that this participant does not').waitFor()
    await page.getByRole('link', { name: 'Iou_Split' }).click()
    await page.getByRole('button', { name: 'Remove alice' }).waitFor() // The contract says who controls the choice.
  })

  test('that one is no stakeholder of are not there', async () => {
    const { ledger } = explorer
    const token = await ledger.userWith('carol-only', { kind: { CanReadAs: { value: { party: ledger.carol } } } })
    const page = await explorer.open(`/contracts/${first}`, { token })
    await page.getByText('There is no such contract to see').waitFor()
  })
})
