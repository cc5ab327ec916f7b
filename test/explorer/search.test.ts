// The search and the pickers, in a real browser: names of all packages, ids, parties and values, by mouse and by keyboard.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { generatedDar } from '../../bench/generated-dar.ts'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { archiveIou } from '../fixtures/ledger.ts'

const searchOf = (page: Page) => page.getByRole('combobox', { name: 'Search', exact: true })

describe('the search', () => {
  // More packages than anybody looks through one by one, before and after that of the template by their names.
  const explorer = useExplorer(async ({ node, submit, createIou }) => {
    const { bytes } = generatedDar(12)
    await node.call('POST', '/v2/dars', { body: bytes })
    await submit([createIou({ currency: 'GOLD' })])
  })

  test('finds a template of any package, wherever one looks for it', async () => {
    const page = await explorer.open('/act/create', { token: explorer.ledger.token })
    const template = page.getByRole('combobox', { name: 'Template' })
    await template.fill('IouProp')
    await page.getByRole('option', { name: 'quickstart:Iou:IouProposal', exact: true }).waitFor()
    await template.fill('note') // The other packages are there as well, and a package's name hides nothing.
    await page.getByRole('option', { name: /^generated-1-11:Main:Note/ }).waitFor()
    await template.fill('Wallet')
    await template.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Create Wallet' }).waitFor()

    await page.goto(page.url().replace(/\/act\/create.*$/, '/contracts'))
    const kind = page.getByRole('combobox', { name: 'Template or interface' })
    await kind.fill('hol')
    await page.getByRole('option', { name: 'quickstart:Holding:Holding', exact: true }).click()
    await page.getByText(/^1 contract,/).waitFor()
    assert.match(page.url(), /interface=%23quickstart%3AHolding%3AHolding/)
    await kind.fill('nothing at all')
    await page.getByText('None found').waitFor()
  })

  test('finds names, ids, parties, commands and values, by kind, with what matched marked', async () => {
    const { ledger } = explorer
    const { contractId, transaction } = await ledger.submit([ledger.createIou({ amount: '7' })])
    const { contractId: gone } = await ledger.submit([ledger.createIou({ amount: '8' })])
    await ledger.submit([archiveIou(gone)])
    const page = await explorer.open('/updates', { token: ledger.token })
    const found = (group: string, option: RegExp) =>
      page.getByRole('group', { name: group, exact: true }).getByRole('option', { name: option }).first()
    const rows: [text: string, group: string, option: RegExp, marked: RegExp][] = [
      ['IouProposal', 'Templates', /^quickstart:Iou:IouProposal$/, /^IouProposal$/],
      ['holding:', 'Interfaces', /^quickstart:Holding:Holding$/, /^Holding$/],
      ['IS', 'Choices', /^Iou_Split of quickstart:Iou:Iou/, /^I|S$/],
      ['generated-1-3', 'Packages', /^generated-1-3$/, /^generated-1-3$/],
      [String(transaction.offset), 'Updates', new RegExp(`${transaction.offset}`), /^\d+$/],
      [transaction.updateId.slice(0, 24), 'Updates', /^1220/, /^1220/],
      [transaction.commandId, 'Commands', new RegExp(transaction.commandId), /^command-/],
      [contractId.slice(0, 12), 'Contracts', /^Iou 00/, /^00/],
      [gone.slice(0, 12), 'Contracts that are no longer active', /^Iou 00/, /^00/],
      ['GOLD', 'Values', /^GOLD currency of Iou/, /^GOLD$/],
    ]
    for (const [text, group, option, marked] of rows) {
      await searchOf(page).fill(text)
      await found(group, option).waitFor()
      if (group === 'Updates' && /^\d{1,9}$/.test(text)) continue // An offset is the whole option.
      assert.match((await found(group, option).locator('mark').first().textContent())!, marked, text)
    }
    await assertAccessible(page)
    await searchOf(page).fill('nothing at all')
    await page.getByText('None found').waitFor()
    await assertAccessible(page)
  })

  test('finds parties and users for whom one may list them', async () => {
    const page = await explorer.open('/updates')
    await searchOf(page).fill('ali')
    await page.locator('.search .option').filter({ hasText: 'alice' }).first().waitFor()
    assert.match((await page.locator('.search .option').first().textContent())!, /^alice/)
    await page.getByRole('group', { name: 'Parties' }).getByRole('option').first().click()
    await page.getByRole('heading', { level: 1, name: /alice/ }).waitFor()
    await page.getByRole('combobox', { name: 'View as party' }).fill('CARO')
    await page.getByRole('option', { name: 'carol' }).waitFor()
    await page.getByRole('combobox', { name: 'View as party' }).fill('nobody')
    await page.getByText('None found').waitFor()
  })

  test('is used by keyboard: arrows choose, Enter goes, Escape closes', async () => {
    const page = await explorer.open('/updates', { token: explorer.ledger.token })
    await page.getByRole('heading', { level: 1, name: 'Updates' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('Iou')
    const chosen = page.locator('[role=option][aria-selected=true]')
    await chosen.filter({ hasText: 'quickstart:Iou:Iou' }).waitFor()
    await page.getByText('Looking further…').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await chosen.filter({ hasText: 'IouProposal' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp') // Round to the last one.
    const options = page.locator('.search .option')
    assert.equal(await options.last().getAttribute('aria-selected'), 'true')
    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'hidden' })
    await page.keyboard.press('ArrowDown')
    await chosen.waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor()
    assert.match(page.url(), /template=%23quickstart%3AIou%3AIou$/)
    // Enter before anything is found goes to what is found for this text, not for the one before.
    await page.keyboard.press('/')
    await page.keyboard.type('Iou_Offer')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^quickstart/ }).waitFor()
  })

  test('leads from a choice to its place in the package', async () => {
    const page = await explorer.open('/updates', { token: explorer.ledger.token })
    await searchOf(page).fill('Iou_Split')
    await page.getByRole('option', { name: /^Iou_Split of/ }).click()
    await page.locator('li:focus', { hasText: 'Iou_Split' }).waitFor()
  })

  test('fits a narrow screen', async () => {
    const page = await explorer.open('/updates', { token: explorer.ledger.token, width: 380, colorScheme: 'dark' })
    await searchOf(page).fill('Iou')
    await page.getByRole('option').first().waitFor()
    assert.ok((await overflowOf(page)) <= 0)
    await assertAccessible(page)
  })
})
