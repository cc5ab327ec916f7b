// Packages in the browser: what they contain, where they are vetted, uploads and their verdicts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useExplorer } from '../fixtures/explorer.ts'
import { effects, effectsDar, quickstart } from '../fixtures/ledger.ts'
import { until } from '../fixtures/until.ts'

/** Anywhere on the page. Whether the page has taken it. */
async function drop(page: Page, file: string): Promise<boolean> {
  const content = readFileSync(file).toString('base64')
  return (await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([Uint8Array.fromBase64('${content}')], 'dropped.dar'))
    return !document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
  })()`)) as boolean
}

describe('packages', () => {
  const explorer = useExplorer()

  test('are listed, without the standard library unless it is wanted', async () => {
    const page = await explorer.open('/packages')
    await page.getByRole('row', { name: /quickstart 1.0.0 global/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /ghc-stdlib/ }).count(), 0)
    await page.getByLabel('With the standard library').check()
    await page
      .getByRole('row', { name: /ghc-stdlib/ })
      .first()
      .waitFor()
  })

  test('show their templates, choices and what these create, in words and as a picture', async () => {
    const page = await explorer.open(`/packages/${quickstart}`)
    const offer = page.getByRole('region', { name: 'TransferOffer' })
    await offer.getByText('TransferOffer_Accept').waitFor()
    const iou = page.getByRole('region', { name: 'Iou', exact: true })
    await iou.getByText('Decimal').first().waitFor()
    await iou.getByRole('link', { name: 'TransferOffer' }).waitFor()
    await page.getByRole('button', { name: 'Graph' }).click()
    const picture = page.getByRole('img', { name: /what their choices create/ })
    await picture
      .locator('text', { hasText: /TransferOffer$/ })
      .first()
      .waitFor()
    await picture.locator('text', { hasText: 'Iou_Offer' }).first().waitFor()
    assert.match(page.url(), /view=graph/)
  })

  test('have a picture that fits its frame, zooms and moves by wheel, buttons, keys and dragging', async () => {
    const page = await explorer.open(`/packages/${quickstart}?view=graph`, { width: 600 })
    const picture = page.getByRole('img', { name: /what their choices create/ })
    const shown = async () => (await picture.getAttribute('viewBox'))!.split(' ').map(Number) as Shown
    type Shown = [x: number, y: number, width: number, height: number]
    await page.getByRole('button', { name: 'Zoom in' }).waitFor()
    const [, , whole] = await shown()
    const right =
      'Math.max(...[...document.querySelectorAll(".graph-node")].map((one) => one.getBoundingClientRect().right))'
    assert.ok(((await page.evaluate(right)) as number) <= 600, 'all of it is visible')

    await picture.hover()
    await page.mouse.wheel(0, -300)
    await until(async () => (await shown())[2] < whole)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    const near = await shown()
    await page.getByRole('region', { name: /^Picture/ }).focus()
    await page.keyboard.press('ArrowRight')
    assert.ok((await shown())[0] > near[0])
    await page.keyboard.press('-')
    assert.ok((await shown())[2] > near[2])
    await page.keyboard.press('+')
    const before = await shown()
    await picture.hover()
    await page.mouse.down()
    await page.mouse.move(500, 400)
    await page.mouse.move(520, 400)
    await page.mouse.up()
    assert.notEqual((await shown())[0], before[0])
    await page.getByRole('button', { name: 'Show all of it' }).click()
    assert.equal((await shown())[2], whole)
  })

  test('are uploaded, with the verdict of the checks, and unvetted', async () => {
    const page = await explorer.open('/packages')
    const file = { name: 'broken.dar', mimeType: 'application/octet-stream', buffer: Buffer.from('no zip') }
    await page.getByLabel('Choose a file').setInputFiles(file)
    await page.getByText('broken.dar was refused. Nothing has changed.').waitFor()
    await page.getByRole('alert').waitFor()
    assert.ok(await drop(page, effectsDar), 'the browser does not open the file')
    await page.getByText(/is well typed/).waitFor()
    await page
      .getByRole('row', { name: /effects/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { level: 1, name: /effects/ }).waitFor()
    await page.getByLabel('global').click()
    await page.getByText('No longer vetted on global').waitFor()
    const topologyStateFilter = { synchronizerIds: [explorer.ledger.synchronizerId] }
    const { json } = await explorer.ledger.node.call('POST', '/v2/package-vetting/list', {
      body: { topologyStateFilter },
    })
    assert.ok(!JSON.stringify(json).includes(effects))
  })
})
