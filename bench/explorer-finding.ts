// Measures the processor time that the explorer's searches cost the node on a large ledger, against a small one.
// BENCH_CONTRACTS says how many contracts the large one has.
import { type BenchLedger, startLedger } from './ledger.ts'
import { cpuMsOf, median, temporaryFolder } from './processes.ts'
import { startFilled } from './reading.ts'

const contracts = Number(process.env.BENCH_CONTRACTS ?? 200_000)
const fewContracts = 10
const rounds = 7
const everything = { cumulative: [] }
const eventFormat = { filtersByParty: {}, filtersForAnyParty: everything, verbose: true }
const template = { TemplateFilter: { value: { templateId: '#quickstart:Iou:Iou', includeCreatedEventBlob: false } } }
const ofTemplate = { ...eventFormat, filtersForAnyParty: { cumulative: [{ identifierFilter: template }] } }
const updateFormat = {
  includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  includeReassignments: eventFormat,
}

type Found = { readonly activeContracts: readonly { readonly contractEntry: Entry }[]; readonly looked: number }
type Entry = { readonly JsActiveContract: { readonly createdEvent: { readonly contractId: string } } }

/** One question, as often as it takes to be measured. A page has as many rows on both ledgers. */
type Question = { readonly path: string; readonly bodies: (ledger: BenchLedger) => Promise<readonly object[]> }

const questions = {
  'first page': {
    path: '/explorer/find/contracts',
    bodies: async () => [
      { eventFormat, pageSize: fewContracts },
      { eventFormat: ofTemplate, pageSize: fewContracts },
    ],
  },
  search: {
    path: '/explorer/find/places',
    async bodies(ledger) {
      const body = { eventFormat, pageSize: fewContracts, oldestFirst: true }
      const { activeContracts } = (await ledger.call('POST', '/explorer/find/contracts', body)) as Found
      const ids = activeContracts.map(({ contractEntry }) => contractEntry.JsActiveContract.createdEvent.contractId)
      return ids.map((id) => ({ eventFormat, text: id.slice(0, 12) }))
    },
  },
} as const satisfies Readonly<Record<string, Question>>

/** Microseconds of the node's processor time for an answer, against a ledger of ten contracts. */
export async function findingAtSize(what: keyof typeof questions) {
  using folders = twoFolders()
  await using large = await readable(await startFilled(folders.large, contracts))
  await using small = await readable(await startFilled(folders.small, fewContracts))
  const cost = async (ledger: BenchLedger, times: number) => {
    const { path, bodies } = questions[what]
    const asked = await bodies(ledger)
    const before = cpuMsOf(ledger.server.pid)
    for (let turn = 0; turn < times; turn += 1) await ledger.call('POST', path, asked[turn % asked.length])
    return ((cpuMsOf(ledger.server.pid) - before) * 1000) / times
  }
  for (const ledger of [large, small]) await cost(ledger, 600) // Warm-up.
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) results.push([await cost(large, 200), await cost(small, 200)])
  return compared(results, 'µs', `${contracts} contracts against ${fewContracts}`)
}

/** Milliseconds of the node's processor time for a page sorted by a field: it looks through all contracts. */
export async function sortingAtSize() {
  using folders = twoFolders()
  await using large = await readable(await startFilled(folders.large, contracts))
  const body = { eventFormat, sortBy: { field: 'amount', descending: true } }
  const sorted = async () => {
    const before = cpuMsOf(large.server.pid)
    await large.call('POST', '/explorer/find/contracts', body)
    return cpuMsOf(large.server.pid) - before
  }
  const results: [number, number][] = []
  const startedMs = performance.now()
  for (let round = 0; round < 3; round += 1) {
    results.push([await sorted(), await readingAll(large)])
  }
  const secondsEach = ((performance.now() - startedMs) / 6_000).toFixed(1)
  return compared(results, 'ms', `of ${contracts} contracts; some ${secondsEach} s until the answer`)
}

/** Reads all contracts page by page: the only way to sort them before the node did. */
async function readingAll(ledger: BenchLedger): Promise<number> {
  let cost = 0
  const size = 10_000
  for (let done = 0, pageToken: string | null = null; done < contracts; done += size) {
    const asked = { eventFormat, maxPageSize: size, ...(pageToken && { pageToken }) }
    const before = cpuMsOf(ledger.server.pid)
    const page = (await ledger.call('POST', '/v2/state/active-contracts-page', asked)) as {
      nextPageToken: string | null
    }
    cost += cpuMsOf(ledger.server.pid) - before
    pageToken = page.nextPageToken
  }
  return cost
}

const creates = 500
const updates = 20

/** Microseconds of processor time for a list of updates with 500 creates each, against updates with one. */
export async function listOfLargeUpdates() {
  using folders = twoFolders()
  await using large = await readable(await startLedger(folders.large))
  await using small = await readable(await startLedger(folders.small))
  for (let index = 0; index < updates; index += 1) {
    await submit(large, creates, `large-${index}`)
    await submit(small, 1, `small-${index}`)
  }
  const body = { updateFormat, pageSize: updates }
  let bytes = 0
  const cost = async (ledger: BenchLedger, times: number) => {
    const before = cpuMsOf(ledger.server.pid)
    for (let turn = 0; turn < times; turn += 1) {
      bytes = JSON.stringify(await ledger.call('POST', '/explorer/find/updates', body)).length
    }
    return ((cpuMsOf(ledger.server.pid) - before) * 1000) / times
  }
  for (const ledger of [large, small]) await cost(ledger, 200)
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    const ofSmall = await cost(small, 100)
    results.push([await cost(large, 100), ofSmall])
  }
  const whole = JSON.stringify(
    await large.call('POST', '/v2/updates/get-updates-page', {
      updateFormat,
      maxPageSize: updates,
      descendingOrder: true,
    }),
  ).length
  const sizes = `${(bytes / 1e3).toFixed(1)} kB against ${(whole / 1e6).toFixed(1)} MB of the updates themselves`
  return compared(results, 'µs', `${updates} updates; ${sizes}`)
}

async function submit({ call, parties }: BenchLedger, count: number, commandId: string): Promise<void> {
  const [issuer, owner] = parties
  const createArguments = { issuer, owner, amount: '100', currency: 'EUR', observers: [] }
  const one = { CreateCommand: { templateId: '#quickstart:Iou:Iou', createArguments } }
  const commands = Array.from({ length: count }, () => one)
  await call('POST', '/v2/commands/submit-and-wait', { commands, commandId, actAs: [issuer, owner] })
}

/** With the right to read as any party, as the explorer's own user has it. */
async function readable(ledger: BenchLedger): Promise<BenchLedger> {
  const rights = [{ kind: { CanReadAsAnyParty: { value: {} } } }]
  await ledger.call('POST', '/v2/users/participant_admin/rights', { userId: 'participant_admin', rights })
  return ledger
}

function twoFolders() {
  const owned = new DisposableStack()
  const [large, small] = [owned.use(temporaryFolder()).path, owned.use(temporaryFolder()).path]
  return { large, small, [Symbol.dispose]: () => owned.dispose() }
}

function compared(results: readonly (readonly [number, number])[], unit: string, note: string) {
  const [a, b] = [median(results.map(([one]) => one)), median(results.map(([, other]) => other))]
  return { ours: Math.round(a), theirs: Math.round(b), unit, ratio: a / b, note }
}
