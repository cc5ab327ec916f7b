// Updates of hundreds of events: they open folded, with counts, and only what is on the screen is in the page.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, useExplorer } from '../fixtures/explorer.ts'
import { archiveIou, type Json } from '../fixtures/ledger.ts'

const many = 500
/** A page of a few hundred rows was more than ten times as heavy. */
const elementsMax = 3_000

const elementsOf = (page: Page) => page.evaluate('document.querySelectorAll("*").length') as Promise<number>

describe('an update of hundreds of events', () => {
  let [creates, archives] = [0, 0]
  const explorer = useExplorer(async (ledger) => {
    const issue = (_: unknown, index: number) => ledger.createIou({ currency: index === 123 ? 'CHF' : 'EUR' })
    const { transaction } = await ledger.submit(Array.from({ length: many }, issue))
    creates = await ledger.end()
    const ids = transaction.events.map(({ CreatedEvent }: Json) => CreatedEvent.contractId)
    await ledger.submit(ids.map(archiveIou))
    archives = await ledger.end()
    for (let index = 0; index < 60; index += 1) await ledger.submit([ledger.createIou()], { commandId: `one-${index}` })
  })

  test('is a short line of the list, whose older pages are places of their own', async () => {
    const page = await explorer.open('/updates?kind=transaction')
    await page.getByRole('row', { name: /one-59/ }).waitFor()
    const [answer] = await Promise.all([
      page.waitForResponse(/find\/updates/),
      page.getByRole('link', { name: 'Older' }).click(),
    ])
    await page.getByRole('row', { name: /one-1\b/ }).waitFor()
    await page.getByText(`+${many}`, { exact: true }).waitFor()
    assert.ok((await answer.body()).length < 50_000, 'the list has no contents of contracts')
    await page.goBack()
    await page.getByRole('row', { name: /one-59/ }).waitFor()
  })

  test('opens folded, with a count, and stays light when it is unfolded and scrolled', async () => {
    const page = await explorer.open(`/updates/${creates}`)
    const group = page.getByRole('button', { name: `Details of ${many} times create Iou` })
    await group.waitFor()
    assert.ok((await elementsOf(page)) < elementsMax)
    await assertAccessible(page)
    await group.click()
    const rows = page.getByRole('region', { name: 'Events' }).getByRole('listitem')
    await page.getByRole('button', { name: 'Details of create Iou' }).first().waitFor()
    assert.ok((await elementsOf(page)) < elementsMax)
    await assertAccessible(page)
    const setSize = many + 1
    assert.equal(await rows.first().getAttribute('aria-setsize'), String(setSize))

    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await page.locator(`[aria-posinset="${setSize}"]`).waitFor()
    assert.equal(await page.locator('[aria-posinset="2"]').count(), 0, 'what is far away is not in the page')
    assert.ok((await elementsOf(page)) < elementsMax)
    await page.locator(`[aria-posinset="${setSize}"]`).getByRole('button').click()
    await page.getByText('Signatories').waitFor()
  })

  test('is searched by its values, in an address that can be shared', async () => {
    const page = await explorer.open(`/updates/${creates}`)
    await page.getByLabel('Find in this update').fill('chf')
    await page.getByText(`1 event of ${many}`).waitFor()
    await page.getByRole('region', { name: 'Events' }).getByText('CHF').waitFor()
    assert.match(page.url(), /find=chf/)
    await page.getByLabel('Find in this update').fill('nowhere')
    await page.getByText('Nothing in this update contains “nowhere”').waitFor()
    await page.getByLabel('Find in this update').fill('')
    await page.getByRole('button', { name: /times create Iou/ }).waitFor()
  })

  test('says what it archived by template, and asks for the fields of none before they are unfolded', async () => {
    const page = await explorer.open(`/updates/${archives}`)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('events-by-contract-id')) asked.push(request.url())
    })
    const changes = page.getByRole('region', { name: 'Active contracts before and after' })
    await changes.getByRole('button', { name: `Details of ${many} contracts of Iou` }).click()
    await changes.getByRole('link', { name: /^00/ }).first().waitFor()
    assert.ok((await elementsOf(page)) < elementsMax)
    assert.deepEqual(asked, [])
    await changes.locator('.branch').nth(1).click()
    await changes.getByTitle('100.0000000000').waitFor()
    assert.equal(asked.length, 1)
  })
})
