// Takes screenshots of every page of the explorer, on a small ledger, in both themes and on a narrow screen.
//
//   node tools/screenshots.ts FOLDER [NAME…]   after `node tools/ready.mjs --bundle`; only those names, if there are any
//   node tools/screenshots.ts --readme renews those of the README, in docs/images
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser } from '../test/fixtures/browser.ts'
import { exercise, iouType, quickstart, startTestLedger, type TestLedger } from '../test/fixtures/ledger.ts'

type Shot = { readonly name: string; readonly path: string; readonly prepare?: (page: Page) => Promise<void> }

const [target, ...wanted] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: node tools/screenshots.ts (FOLDER [NAME…] | --readme)')
const isForReadme = target === '--readme'
const folder = isForReadme ? 'docs/images' : target
mkdirSync(folder, { recursive: true })

await using ledger = await startTestLedger()
const { last, contractId } = await liveOn(ledger)
await using browser = await startBrowser()

const all: readonly Shot[] = [
  { name: 'overview', path: '' },
  { name: 'updates', path: '/updates' },
  { name: 'filtered', path: `/updates?party=${encodeURIComponent(ledger.alice)}` },
  { name: 'update', path: `/updates/${last}`, prepare: typed },
  { name: 'contracts', path: '/contracts' },
  { name: 'contract', path: `/contracts/${contractId}` },
  {
    name: 'form',
    path: `/act/exercise?${new URLSearchParams({ template: iouType, contract: contractId, choice: 'Iou_Split' })}`,
    prepare: split,
  },
  {
    name: 'refusals',
    path: '/refusals',
    prepare: (page) =>
      page
        .getByRole('button', { name: /Details/ })
        .first()
        .click(),
  },
  { name: 'packages', path: '/packages' },
  { name: 'package', path: `/packages/${quickstart}` },
  { name: 'graph', path: `/packages/${quickstart}?view=graph` },
  { name: 'parties', path: '/parties' },
  { name: 'users', path: '/users' },
  { name: 'user', path: '/users/app' },
  { name: 'identity-providers', path: '/identity-providers' },
  { name: 'controls', path: '/controls' },
  { name: 'create', path: `/act/create?template=${encodeURIComponent(iouType)}` },
  { name: 'party', path: `/parties/${encodeURIComponent(ledger.alice)}` },
  { name: 'api', path: '/api' },
  { name: 'operation', path: '/api/postV2CommandsSubmit-and-wait?package=quickstart' },
  { name: 'keys', path: '/contracts', prepare: (page) => page.keyboard.press('?') },
  { name: 'table', path: `/contracts?template=${encodeURIComponent(iouType)}&at=${last}` },
  { name: 'token', path: '/', prepare: signOut },
]
const forReadme: readonly (readonly [name: string, theme: Theme])[] = [
  ['update', 'light'],
  ['form', 'light'],
  ['graph', 'dark'],
]
type Theme = 'light' | 'dark'

if (isForReadme) {
  for (const [name, theme] of forReadme)
    await shoot(all.find((one) => one.name === name)!, theme, 1200, join(folder, `${name}.png`))
} else {
  for (const shot of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    for (const theme of ['light', 'dark'] as const)
      await shoot(shot, theme, 1280, join(folder, `${shot.name}-${theme}.png`))
    await shoot(shot, 'light', 380, join(folder, `${shot.name}-narrow.png`))
  }
}

async function shoot({ path, prepare }: Shot, colorScheme: Theme, width: number, file: string): Promise<void> {
  const viewport = { width, height: width < 500 ? 800 : 700 }
  await using context = await browser.newContext({ colorScheme, viewport, locale: 'en-GB', timezoneId: 'UTC' })
  const page = await context.newPage()
  const link = new URL(ledger.node.node.explorerLink()!)
  await page.goto(`${link.origin}/explorer${path}${link.hash}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => undefined) // The end of the ledger is asked for again and again.
  await prepare?.(page)
  await page.waitForTimeout(500)
  await page.screenshot({ path: file, fullPage: !isForReadme })
}

/** Values look different as soon as their types are known: zeros at the end of a number disappear. */
async function typed(page: Page): Promise<void> {
  await page.locator('.zeros').first().waitFor({ state: 'attached' })
}

async function signOut(page: Page): Promise<void> {
  await page.evaluate('sessionStorage.clear(); localStorage.clear()')
  await page.reload()
}

async function split(page: Page): Promise<void> {
  await page.getByLabel('amount').fill('30')
  await page.getByRole('region', { name: 'Dry run' }).getByText(/steps/).waitFor()
  await typed(page)
}

/** Something of everything. */
async function liveOn({ submit, createIou, commandsOf, post, end, alice, node }: TestLedger) {
  await node.call('POST', '/v2/idps', {
    body: {
      identityProviderConfig: {
        identityProviderId: 'corporate',
        isDeactivated: false,
        audience: 'ledger',
        issuer: 'https://login.example',
        jwksUrl: 'https://login.example/jwks.json',
      },
    },
  })
  await node.call('POST', '/dev/snapshots', { body: { name: 'before' } })
  for (let i = 0; i < 6; i += 1) await submit([createIou({ amount: String(50 + i * 25) })])
  const { contractId: whole } = await submit([createIou({ amount: '250' })])
  await submit([exercise(iouType, whole, 'Iou_Split', { amount: '100' })], { actAs: [alice] })
  const last = await end()
  const { contractId } = await submit([createIou({ amount: '100' })])
  await post(
    '/v2/commands/submit-and-wait',
    commandsOf([exercise(iouType, contractId, 'Iou_Split', { amount: '1000' })]),
  )
  return { last, contractId }
}
