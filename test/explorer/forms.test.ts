// The forms that create and exercise: who acts, what is missing, JSON instead of fields, another like this, and what stays.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, openInNewTab, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { holdingType, iouType, proposalType, right } from '../fixtures/ledger.ts'

const createIouPath = `/act/create?template=${encodeURIComponent(iouType)}`

async function pick(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).fill(name)
  await page.getByRole('option', { name }).first().click()
}

/** The parties in "Act as". */
const actors = (page: Page) => page.locator('.chips .party').allInnerTexts()
const dryRunOf = (page: Page) => page.getByRole('region', { name: 'Dry run' })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

const isFocused = (field: Locator) => field.evaluate((one) => one.matches(':focus'))

async function fillIou(page: Page): Promise<void> {
  await pick(page, 'issuer', 'bank')
  await pick(page, 'owner', 'alice')
  await page.getByLabel('amount').fill('12.5')
  await page.getByLabel('currency').fill('EUR')
}

describe('the forms', () => {
  const explorer = useExplorer()

  test('say which field is missing, lead to it, and let those act who have to sign', async () => {
    const page = await explorer.open(createIouPath)
    const panel = dryRunOf(page)
    await panel.getByRole('button', { name: 'Act as is missing' }).click()
    assert.ok(await isFocused(page.getByRole('combobox', { name: 'Act as' })))
    await page.getByRole('option', { name: 'carol' }).waitFor()
    await pick(page, 'issuer', 'bank')
    await page.getByText('Follows issuer and owner').waitFor()
    assert.deepEqual(await actors(page), ['bank'])
    await panel.getByRole('button', { name: 'owner is missing' }).click()
    assert.ok(await isFocused(page.getByRole('combobox', { name: 'owner' })))
    await assertAccessible(page)
    await pick(page, 'owner', 'alice')
    assert.deepEqual(await actors(page), ['bank', 'alice'])
    await page.getByLabel('amount').fill('a lot')
    await panel.getByRole('button', { name: 'amount: A number, such as 12.5' }).waitFor()
    await page.getByLabel('amount').fill('1')
    await page.getByRole('button', { name: 'Remove bank' }).click()
    await panel.getByText('DAML_AUTHORIZATION_ERROR').waitFor()
    await panel.getByText('bank has to authorise it, too').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const form = page.getByRole('form')
    await form.getByText('bank has to authorise it, too').waitFor()
    await form.getByRole('button', { name: 'Add bank to Act as' }).click()
    assert.deepEqual(await actors(page), ['alice', 'bank'])
    await panel.getByText('create', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Follow issuer and owner' }).click()
    assert.deepEqual(await actors(page), ['bank', 'alice'])
  })

  test('let the party act that is viewed as, until all who have to are known', async () => {
    const page = await explorer.open('/updates')
    await page.getByRole('combobox', { name: 'View as party' }).fill('carol')
    await page.getByRole('option', { name: 'carol' }).click()
    await page.goto(`${explorer.ledger.node.url}/explorer${createIouPath}`)
    await page.locator('.chips .party').first().waitFor()
    assert.deepEqual(await actors(page), ['carol'])
    await pick(page, 'issuer', 'bank')
    assert.deepEqual(await actors(page), ['carol', 'bank'])
    await pick(page, 'owner', 'bob')
    assert.deepEqual(await actors(page), ['bank', 'bob'])
  })

  test('let those act who control a choice, also by fields inside others', async () => {
    const { ledger } = explorer
    const { contractId } = await ledger.submit([ledger.createIou()])
    const iou = { issuer: ledger.bank, owner: ledger.bob, amount: '5', currency: 'EUR', observers: [] }
    const { contractId: proposal } = await ledger.submit([
      { CreateCommand: { templateId: proposalType, createArguments: { iou } } },
    ])
    const rows: [template: string, contract: string, choice: string, actors: string[]][] = [
      [iouType, contractId, 'Iou_Split', ['alice']],
      [iouType, contractId, 'Archive', ['bank', 'alice']],
      [holdingType, contractId, 'Archive', ['alice', 'bank']],
      [proposalType, proposal, 'IouProposal_Accept', ['bob']],
    ]
    for (const [template, contract, choice, expected] of rows) {
      const query = new URLSearchParams({ template, contract, choice })
      const page = await explorer.open(`/act/exercise?${query}`)
      await heading(page, `Exercise ${choice}`)
      await page
        .locator('.chips .party')
        .nth(expected.length - 1)
        .waitFor()
      assert.deepEqual(await actors(page), expected, choice)
      await page.close()
    }
  })

  test('take JSON instead of fields and back, and name the path of what does not fit', async () => {
    const { ledger } = explorer
    const page = await explorer.open(createIouPath)
    await pick(page, 'issuer', 'bank')
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    const field = page.getByLabel('Value')
    assert.deepEqual(JSON.parse(await field.inputValue()), {
      issuer: ledger.bank,
      owner: '',
      amount: '',
      currency: '',
      observers: [],
    })
    await field.fill('{ "issuer": ')
    await page.getByText('The form cannot show this JSON').waitFor()
    await dryRunOf(page).getByText(/JSON/).waitFor()
    const value = { issuer: ledger.bank, owner: ledger.alice, amount: '7', currency: 'CHF', observers: [7] }
    await field.fill(JSON.stringify({ ...value, ownr: ledger.bob }))
    const panel = dryRunOf(page)
    await panel.getByText('ownr: There is no such field; there are issuer, owner, amount').waitFor()
    await panel.getByRole('button', { name: 'observers[0]: A party' }).click()
    assert.ok(await isFocused(field))
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    await field.waitFor() // The form could not show it.
    await field.fill(JSON.stringify({ ...value, observers: [ledger.carol] }, null, 2))
    assert.deepEqual(await actors(page), ['bank', 'alice'])
    await panel.getByText('create', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    assert.equal(await page.getByLabel('currency').inputValue(), 'CHF')
    assert.equal(await page.getByRole('combobox', { name: 'observers 1' }).inputValue(), ledger.carol)
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await heading(page, /^Update \d+$/)
    await page.getByText('CHF').first().waitFor()
  })

  test('begin with another contract, in a new tab as well, and again after a success', async () => {
    const { ledger } = explorer
    const { contractId } = await ledger.submit([ledger.createIou({ amount: '31', currency: 'SEK' })])
    const page = await explorer.open(`/contracts/${contractId}`)
    const other = await openInNewTab(page.getByRole('link', { name: 'Another like this' }))
    await heading(other, 'Create Iou')
    assert.equal(await other.getByLabel('currency').inputValue(), 'SEK')
    assert.deepEqual(await actors(other), ['bank', 'alice'])
    await other.getByLabel('currency').fill('NOK')
    await other.getByRole('button', { name: 'Create', exact: true }).click()
    await heading(other, /^Update \d+$/)
    await other.getByRole('button', { name: 'Another like this' }).click()
    await heading(other, 'Create Iou')
    assert.equal(await other.getByLabel('currency').inputValue(), 'NOK')
    await other.getByRole('button', { name: 'Start anew' }).click()
    assert.equal(await other.getByLabel('currency').inputValue(), 'SEK')
    await page.getByRole('link', { name: 'Another like this' }).click()
    await heading(page, 'Create Iou')
    assert.equal(await page.getByLabel('currency').inputValue(), 'SEK', 'what another tab has is its own')
  })

  test('keep what was entered for Back and a reload, in their tab, until one starts anew or signs out', async () => {
    const page = await explorer.open(createIouPath, { width: 380 })
    await fillIou(page)
    await page.getByRole('button', { name: 'Add to observers' }).click()
    await page.reload()
    await page.getByText('As you left it').waitFor()
    assert.equal(await page.getByLabel('currency').inputValue(), 'EUR')
    assert.equal(await page.getByRole('combobox', { name: 'observers 1' }).inputValue(), '')
    assert.ok((await overflowOf(page)) <= 0)
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('link', { name: 'Packages' }).click()
    await heading(page, 'Packages')
    await page.goBack()
    await page.getByText('As you left it').waitFor()
    assert.equal(await page.getByLabel('amount').inputValue(), '12.5')
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByLabel('Value').fill('{ not yet')
    await page.reload()
    assert.equal(await page.getByLabel('Value').inputValue(), '{ not yet')
    const kept = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('-form ')).length)
    assert.equal(await kept(), 1)
    await page.getByRole('button', { name: 'Start anew' }).click()
    assert.equal(await page.getByLabel('currency').inputValue(), '')
    assert.equal(await kept(), 0)
    await page.getByLabel('currency').fill('EUR')
    assert.equal(await kept(), 1)
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await heading(page, 'Sign in')
    assert.equal(await kept(), 0)
  })

  test('do not send what the token may not do, and let an administrator allow it', async () => {
    const { ledger } = explorer
    const admin = await ledger.userWith(
      'form-admin',
      right('ParticipantAdmin'),
      right('CanActAs', ledger.alice),
      right('CanReadAsAnyParty'),
    )
    const page = await explorer.open(createIouPath, { token: admin })
    await fillIou(page)
    assert.deepEqual(await actors(page), ['alice'])
    await dryRunOf(page).getByText('bank has to authorise it, too').waitFor()
    await dryRunOf(page).getByText('Your token may not act as bank').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Add bank to Act as' }).count(), 0)
    await pick(page, 'Act as', 'bank')
    await page.getByText('form-admin may not act as bank').waitFor()
    await assertAccessible(page)
    assert.ok(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled())
    await page.getByRole('button', { name: 'Let form-admin act as bank' }).click()
    await page.getByText('form-admin may not act as bank').waitFor({ state: 'detached' })
    // Whoever loses the right meanwhile is told when it matters.
    const revoked = { userId: 'form-admin', rights: [right('CanActAs', ledger.bank)] }
    await ledger.node.call('PATCH', '/v2/users/form-admin/rights', { body: revoked })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('form-admin may not act as bank').waitFor()
    await page.getByRole('button', { name: 'Let form-admin act as bank' }).click()
    await page.getByText('form-admin may not act as bank').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await heading(page, /^Update \d+$/)
  })
})
