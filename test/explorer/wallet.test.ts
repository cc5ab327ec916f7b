// The wallet of a party: with a token of one's own, and on a ledger whose answers about tokens are those that a LocalNet gave.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { leaveNodeRecord } from '../../src/cli/node-record.ts'
import { call } from '../fixtures/command.ts'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import { temporaryFolder } from '../fixtures/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into requests freely.
type Json = any

describe('a wallet', () => {
  const explorer = useExplorer(async (ledger) => {
    await ledger.submit([ledger.createIou()], { commandId: 'tap-1' })
  })

  const pathOf = (party: string) => `/parties/${encodeURIComponent(party)}`

  test('is there once the ledger has tokens', async () => {
    const page = await explorer.open(pathOf(explorer.ledger.alice))
    const asked = page.waitForResponse('**/v2/package-vetting/list')
    await page.getByText('Contracts by template').waitFor()
    await asked
    await page.getByRole('row', { name: /tap-1/ }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Wallet' }).count(), 0)
    const { node, alice, bob } = explorer.ledger
    using folder = temporaryFolder()
    using _record = leaveNodeRecord(folder.path, { url: node.url, pid: process.pid, secret: node.node.localSecret })
    for (const words of [
      'token instrument create EUR --admin bank --stand-in',
      `token mint 12.5 EUR --to ${alice}`,
      `transfer 2 ${bob} --instrument EUR --from ${alice}`,
    ]) {
      await call(words.split(' '), { environment: { TALLYSTICK_STORE_DATA: folder.path } })
    }
    await page.reload()
    await page.getByRole('link', { name: 'Wallet' }).click()
    await page.getByRole('row', { name: 'EUR of bank 10.5 2' }).waitFor()
    await page.getByRole('row', { name: /2 EUR of bank from alice to bob/ }).waitFor()
    const movements = page.getByRole('region', { name: 'Movements', exact: true })
    await movements.getByRole('row').nth(2).waitFor()
  })

  test('shows balances, holdings, what is on its way, movements and rounds', async () => {
    const { alice, bob } = explorer.ledger
    const page = await explorer.open('/parties')
    await answerAsLocalnet(page, { alice, bob })
    await page.getByRole('link', { name: 'alice' }).first().click()
    await page.getByRole('link', { name: 'Wallet' }).click()
    await page.getByRole('heading', { level: 1, name: 'Wallet of alice' }).waitFor()
    const rowsOf = async (name: string) => {
      const region = page.getByRole('region', {
        name: name === 'Balances' ? name : `${name} on the ledger`,
        exact: true,
      })
      await region.getByRole('row').nth(1).waitFor()
      return (await region.locator('tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    }
    assert.deepEqual(await rowsOf('Balances'), ['Amulet of DSO 2000.5 3', 'EUR of bob 7 0'])
    assert.deepEqual(
      (await rowsOf('Holdings')).map((text) => text.replace(/ until.*/, ' until')),
      ['00h1 Amulet of DSO 2000.5 none', '00h2 Amulet of DSO 3 locked bob until', '00h3 EUR of bob 7 none'],
    )
    assert.match((await rowsOf('Transfers'))[0]!, /^00t1 5 Amulet of DSO from alice to bob /)
    assert.match((await rowsOf('Offers'))[0]!, /^00o1 6 Amulet of DSO from bob to alice /)
    assert.match((await rowsOf('Allocations'))[0]!, /^00a1 trade-1 bob 5 Amulet of DSO from alice to bob/)
    assert.match((await rowsOf('Allocations'))[1]!, /^00a2 trade-3 bob 4 Amulet of DSO from bob to alice/)
    assert.match((await rowsOf('Allocation requests'))[0]!, /^00r1 trade-2 bob 5 Amulet of DSO from alice to bob/)
    assert.match((await rowsOf('Open rounds'))[0]!, /^00n1 3 .* 0\.005$/)
    await page.getByText('The newest 200 of 1,000').waitFor()
    assert.equal(await page.getByText('Issuing rounds').count(), 0)
    for (const name of ['Taps', 'Movements']) {
      await page.getByRole('region', { name, exact: true }).getByRole('row', { name: /tap-1/ }).waitFor()
    }
    await assertAccessible(page)
    await page.setViewportSize({ width: 380, height: 860 })
    assert.ok((await overflowOf(page)) <= 0)
  })
})

const instrumentId = { admin: 'DSO::1220', id: 'Amulet' }
const names = ['holding', 'transfer-instruction', 'allocation', 'allocation-request'].flatMap((name) =>
  [1, 2].map((version) => `splice-api-token-${name}-v${version}`),
)

/** The answers about tokens are recorded ones; all others are the node's. */
async function answerAsLocalnet(page: Page, { alice, bob }: { alice: string; bob: string }): Promise<void> {
  const leg = { sender: alice, receiver: bob, amount: '5.0000000000', instrumentId, meta: { values: {} } }
  const settlementOf = (id: string) => ({
    executor: bob,
    settlementRef: { id, cid: null },
    settleBefore: '2030-01-02T00:00:00Z',
  })
  const ofVersion2 = {
    admin: instrumentId.admin,
    authorizer: { owner: alice, provider: null, id: '' },
    transferLegSides: [
      {
        side: 'ReceiverSide',
        otherside: { owner: bob, provider: null, id: '' },
        amount: '4.0000000000',
        instrumentId: 'Amulet',
      },
    ],
  }
  const holding = (amount: string, more: object = {}) => ({ owner: alice, instrumentId, amount, lock: null, ...more })
  const contracts: Readonly<Record<string, readonly (readonly [contractId: string, value: Json])[]>> = {
    Holding: [
      ['00h1', holding('2000.5000000000')],
      ['00h2', holding('3.0000000000', { lock: { holders: [bob], expiresAt: '2030-01-02T00:00:00Z' } })],
      ['00h3', holding('7.0000000000', { instrumentId: { admin: bob, id: 'EUR' } })],
      ['00h4', holding('9.0000000000', { owner: bob })],
    ],
    TransferInstruction: [['00t1', { transfer: { ...leg, executeBefore: '2030-01-02T00:00:00Z' } }]],
    TransferOffer: [
      [
        '00o1',
        {
          sender: bob,
          receiver: alice,
          dso: 'DSO::1220',
          amount: { amount: '6.0000000000', unit: 'AmuletUnit' },
          expiresAt: '2030-01-02T00:00:00Z',
        },
      ],
    ],
    Allocation: [
      ['00a1', { allocation: { settlement: settlementOf('trade-1'), transferLeg: leg } }],
      ['00a2', { settlement: { executors: [bob], id: 'trade-3', cid: null }, allocation: ofVersion2 }],
    ],
    AllocationRequest: [['00r1', { settlement: settlementOf('trade-2'), transferLegs: { one: leg } }]],
    OpenMiningRound: [
      [
        '00n1',
        {
          round: { number: '3' },
          amuletPrice: '0.0050000000',
          opensAt: '2030-01-01T00:00:00Z',
          targetClosesAt: '2030-01-01T00:20:00Z',
        },
      ],
    ],
    IssuingMiningRound: [],
  }
  await page.route('**/v2/package-vetting/list', async (route) => {
    const packages = [...names, 'splice-wallet', 'splice-amulet'].map((packageName) => ({
      packageId: packageName,
      packageName,
      packageVersion: '1.0.0',
    }))
    await route.fulfill({ json: { vettedPackages: [{ packages, synchronizerId: 'global::1220' }], nextPageToken: '' } })
  })
  await page.route('**/explorer/find/contracts', async (route) => {
    const reference = referenceIn(route)
    const found = reference === undefined ? undefined : contracts[reference.split(':')[2]!]
    if (found === undefined) return route.continue()
    const activeContracts = found.map(([contractId, value]) => ({
      contractEntry: { JsActiveContract: { createdEvent: eventOf(contractId, value), synchronizerId: 'global::1220' } },
    }))
    const isPart = reference!.endsWith(':Holding')
    const total = { count: isPart ? 1000 : found.length, is: 'exact' }
    await route.fulfill({ json: { activeContracts, total, nextPageToken: isPart ? 'further' : null } })
  })
  await page.route('**/explorer/find/updates', async (route) => {
    const body = route.request().postDataJSON()
    if (body.filter !== undefined) body.filter.choice = undefined // The node has no taps.
    const { filtersByParty } = body.updateFormat.includeTransactions.eventFormat
    for (const filters of Object.values<Json>(filtersByParty)) {
      filters.cumulative = [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }]
    }
    await route.continue({ postData: JSON.stringify(body) })
  })
}

/** A template's fields and an interface's view are the same here. */
function eventOf(contractId: string, value: Json): object {
  return { contractId, createArgument: value, interfaceViews: [{ interfaceId: '', viewValue: value }] }
}

/** The template or interface that a request is about. */
function referenceIn(route: Route): string | undefined {
  const { filtersByParty, filtersForAnyParty } = route.request().postDataJSON().eventFormat
  const [filters] = [...Object.values<Json>(filtersByParty), filtersForAnyParty]
  const { TemplateFilter, InterfaceFilter } = filters.cumulative[0].identifierFilter
  return TemplateFilter?.value.templateId ?? InterfaceFilter?.value.interfaceId
}
