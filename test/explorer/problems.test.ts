// An error of the node on a page: its code, its words, its hint and its place, on wide and on narrow screens.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { right } from '../fixtures/ledger.ts'

describe('a problem', () => {
  const explorer = useExplorer(
    async ({ node }) => {
      await node.call('POST', '/v2/users/app/rights', { body: { userId: 'app', rights: [right('ParticipantAdmin')] } })
    },
    { settings: { hints: true } },
  )

  for (const width of [1280, 380]) {
    test(`has code, cause, hint and place in Daml, and fits a screen of ${width} pixels`, async () => {
      const { ledger } = explorer
      const { contractId } = await ledger.submit([ledger.createIou()])
      const template = encodeURIComponent('#quickstart:Iou:Iou')
      const page = await explorer.open(`/act/exercise?template=${template}&contract=${contractId}&choice=Iou_Split`, {
        token: ledger.token,
        width,
        ...(width === 380 && { colorScheme: 'dark' as const }),
      })
      await page.getByRole('button', { name: 'Remove alice' }).click() // Who controls the choice acts.
      await page.getByRole('combobox', { name: 'Act as', exact: true }).fill('bob')
      await page.getByRole('option', { name: 'bob' }).first().click()
      await page.getByLabel('amount').fill('1')
      const dryRun = page.getByRole('region', { name: 'Dry run' })
      await dryRun.getByText('CONTRACT_NOT_FOUND').waitFor()
      await dryRun.getByText(/^Contract could not be found with id 00/).waitFor()
      await dryRun.getByText(/is active, but actAs and readAs name none of its stakeholders$/).waitFor()
      await assertAccessible(page)
      assert.ok((await overflowOf(page)) <= 0)
      await page.getByRole('combobox', { name: 'Act as', exact: true }).fill('alice')
      await page.getByRole('option', { name: 'alice' }).first().click()
      await page.getByLabel('amount').fill('1000')
      await dryRun.getByText('Iou:require').first().waitFor()
      await dryRun.getByText('Definition').waitFor()
    })
  }
})
