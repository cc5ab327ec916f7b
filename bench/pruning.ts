// Committing while pruned rows are deleted, against rounds in which nothing is: what deletion takes from the commands, in
// CPU and in commands per second, and how many offsets are deleted for each that the commands add.
import { loadOn } from './database-cost.ts'
import { type BenchLedger, type StoreKind, startLedger } from './ledger.ts'
import { median, temporaryFolder } from './processes.ts'
import { ledgerEnd } from './submit.ts'

const usualRounds = 5
const commands = 3_000
const warmCommands = 10_000

export type Round = {
  /** CPU per command, in microseconds, of the node and of its database. */
  readonly cpuUs: number
  readonly perSecond: number
  /** Offsets deleted meanwhile, for each command and per second. */
  readonly deletedPerCommand: number
  readonly deletedPerSecond: number
}

export type PruningCost = { readonly without: readonly Round[]; readonly beside: readonly Round[] }

export async function committingBesidePruning(kind: StoreKind) {
  const { without, beside } = await pruningCost(kind)
  const medianOf = (of: readonly Round[], pick: (round: Round) => number) => median(of.map(pick))
  const [ours, theirs] = [beside, without].map((of) => medianOf(of, ({ cpuUs }) => cpuUs)) as [number, number]
  const share = medianOf(beside, ({ deletedPerCommand }) => deletedPerCommand).toFixed(2)
  const rates = [beside, without].map((of) => medianOf(of, ({ perSecond }) => perSecond).toFixed(0))
  const deleted = medianOf(beside, ({ deletedPerSecond }) => deletedPerSecond).toFixed(0)
  const note = `${share} offsets deleted per command, ${deleted} per s; ${rates.join(' and ')} commands per s`
  return { ours: Math.round(ours), theirs: Math.round(theirs), unit: 'µs of CPU', ratio: ours / theirs, note }
}

type PruningOptions = { readonly checkout?: string; readonly rounds?: number }

/** Rounds with and without pruning take turns. What is deleted in one was added in the last two. */
export async function pruningCost(
  kind: StoreKind,
  { rounds = usualRounds, ...options }: PruningOptions = {},
): Promise<PruningCost> {
  using folder = temporaryFolder()
  await using ledger = await startLedger(folder.path, kind, options)
  const { spend } = loadOn(ledger)
  await spend(warmCommands)
  const cost: { without: Round[]; beside: Round[] } = { without: [], beside: [] }
  for (let round = 0; round < rounds; round += 1) {
    while ((await progressOf(ledger)).isRunning) await new Promise((resolve) => setTimeout(resolve, 100))
    cost.without.push(await measured(ledger, spend))
    await ledger.call('POST', '/v2/pruning', { pruneUpTo: (await ledgerEnd(ledger)) - 1 })
    cost.beside.push(await measured(ledger, spend))
  }
  return cost
}

async function measured(ledger: BenchLedger, spend: (amount: number) => Promise<number>): Promise<Round> {
  const { deletedUpTo: before } = await progressOf(ledger)
  const startedMs = performance.now()
  const cpuUs = await spend(commands)
  const seconds = (performance.now() - startedMs) / 1000
  const deleted = (await progressOf(ledger)).deletedUpTo - before
  return {
    cpuUs,
    perSecond: commands / seconds,
    deletedPerCommand: deleted / commands,
    deletedPerSecond: deleted / seconds,
  }
}

type Progress = { readonly deletedUpTo: number; readonly isRunning: boolean }

async function progressOf({ call }: BenchLedger): Promise<Progress> {
  return (await call('GET', '/v2/pruning')) as Progress
}
