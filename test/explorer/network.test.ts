// A network in the explorer: from one participant to the next, one update as each sees it, and participants that are away.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAccessible, overflowOf, useExplorer } from '../fixtures/explorer.ts'
import type { Json, TestLedger } from '../fixtures/ledger.ts'
import { until } from '../fixtures/until.ts'

const names = ['customer', 'bank', 'registry']

describe('a network', () => {
  let update = 0
  const explorer = useExplorer(
    async (ledger) => {
      const dealer = await allocateAt(ledger, 1, 'dealer')
      await ledger.submit([ledger.createIou({ observers: [dealer] })])
      update = await ledger.end()
    },
    {
      settings: {
        synchronizers: [{ alias: 'global', priority: 0 }],
        network: { participants: names.map((name) => ({ name })) },
      },
    },
  )
  const participant = (index: number) => explorer.ledger.node.node.participants[index]!
  const stateOf = async (name: string): Promise<Json> => {
    const { participants } = (await explorer.ledger.node.call('GET', '/dev/network')).json
    return participants.find(({ participant }: Json) => participant === name)
  }

  test('shows an update as each participant sees it', async () => {
    const page = await explorer.open(`/updates/${update}`)
    const views = page.getByRole('region', { name: 'As each participant sees it' })
    for (const name of ['customer', 'bank']) {
      const view = views.getByRole('region', { name })
      await view.getByText('Iou', { exact: true }).first().waitFor()
    }
    await views.getByRole('region', { name: 'registry' }).getByText('sees nothing of it').waitFor()
    await assertAccessible(page)
    await page.setViewportSize({ width: 380, height: 860 })
    assert.equal(await overflowOf(page), 0)
  })

  test('leads to the same update at another participant, signed in', async () => {
    const page = await explorer.open(`/updates/${update}`)
    const refusals: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) refusals.push(`${response.status()} ${response.url()}`)
    })
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await page.getByRole('region', { name: 'As each participant sees it' }).waitFor()
    assert.equal(await pages.getByRole('link', { name: 'customer' }).getAttribute('aria-current'), 'true')
    await pages.getByRole('link', { name: 'bank' }).click()
    await page.waitForURL((url) => url.origin === participant(1).url)
    await page.getByRole('region', { name: 'Events', exact: true }).getByText('Iou', { exact: true }).first().waitFor()
    await pages.locator('a[aria-current=true]', { hasText: 'bank' }).waitFor()
    assert.deepEqual(refusals, [])
  })

  test('keeps what the address says of the page, and leaves out what is of one participant', async () => {
    const page = await explorer.open('/contracts?text=EUR&at=1')
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'bank' })
    assert.equal(await link.getAttribute('href'), `${participant(1).url}/explorer/contracts?text=EUR`)
  })

  test('shows an update again once a participant that was away has it', async () => {
    const order = (action: string) =>
      explorer.ledger.node.call('POST', '/dev/network', { body: { participant: 'bank', action } })
    await order('disconnect')
    const dealer = (await explorer.ledger.node.call('GET', '/v2/parties?filter-party=dealer')).json.partyDetails[0]
      .party
    await explorer.ledger.submit([explorer.ledger.createIou({ observers: [dealer] })])
    const page = await explorer.open(`/updates/${await explorer.ledger.end()}`)
    const views = page.getByRole('region', { name: 'As each participant sees it' })
    const view = views.getByRole('region', { name: 'bank' })
    await view.getByText('sees nothing of it').waitFor()
    await order('connect')
    await until(async () => (await stateOf('bank')).synchronizers[0].waiting === 0)
    await views.getByRole('button', { name: 'Read again' }).click()
    await view.getByText('Iou', { exact: true }).first().waitFor()
  })

  test('asks again at once after a question was answered', async () => {
    const page = await explorer.open('/controls')
    const dialog = page.getByRole('dialog')
    await page.getByRole('row', { name: /bank/ }).getByRole('button', { name: 'Stop' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
    // Before the browser has told the page that the first dialog was closed.
    await page.evaluate(`(async () => {
      const again = document.querySelector('[aria-label="Stop bank"]')
      const told = new Promise((resolve) => document.querySelector('dialog').addEventListener('close', resolve))
      ;[...document.querySelectorAll('dialog button')].find(({ textContent }) => textContent === 'Cancel').click()
      for (let turn = 0; turn < 1000 && document.querySelector('dialog') !== null; turn += 1) await undefined
      again.click()
      await told
      await new Promise((resolve) => requestAnimationFrame(resolve))
    })()`)
    assert.equal(await dialog.getByRole('button', { name: 'Stop bank' }).count(), 1)
  })

  test('stops, disconnects and delays a participant', async () => {
    const { ledger } = explorer
    const page = await explorer.open('/controls')
    const row = page.getByRole('row', { name: /bank/ })
    await row.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await stateOf('bank')).isStopped, false)
    await row.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop bank' }).click()
    await row.getByText('stopped').waitFor()
    await assertAccessible(page)
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('stopped').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Disconnect bank from global' }).click()
    await row.getByText('not connected').waitFor()
    const dealer = (await ledger.node.call('GET', '/v2/parties?filter-party=dealer')).json.partyDetails[0].party
    await ledger.submit([ledger.createIou({ observers: [dealer] })])
    await row.getByText('1 update waiting').waitFor()
    await page.getByRole('button', { name: 'Connect bank to global' }).click()
    await row.getByText('1 update waiting').waitFor({ state: 'detached' })

    await row.getByRole('button', { name: 'Delay' }).click()
    await page.getByLabel('Milliseconds').fill('50')
    await page.getByRole('dialog').getByRole('button', { name: 'Delay' }).click()
    await row.getByText('50 ms later').waitFor()
    assert.equal((await stateOf('bank')).delayMs, 50)
  })
})

async function allocateAt({ node: { node } }: TestLedger, index: number, partyIdHint: string): Promise<string> {
  const { url, participantId } = node.participants[index]!
  const token = await node.issueToken!('participant_admin', 3_600_000, participantId)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v2/parties`, { method: 'POST', headers, body: JSON.stringify({ partyIdHint }) })
  return ((await answer.json()) as Json).partyDetails.party
}
