// POST /api/scan/…/holdings: the Amulet of some owners after any update, as contracts or as sums. Splice's AcsSnapshotStore.
import { decimalFrom, unitsFrom } from '../ledger/decimals.ts'
import { roundOf } from '../ledger/dso-reads.ts'
import { holdingFee } from '../ledger/holding-fee.ts'
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { timeText } from '../ledger/times.ts'
import { badRequest, type Route, type RouteContext } from '../serving/route.ts'
import { snapshotPage } from './acs-snapshots.ts'
import { malformed, ownersFrom, snapshotOf } from './history-requests.ts'
import { migrationId } from './update-json.ts'

type ScanRoute = Route<RouteContext>

const holdingTemplates = [templates.amulet, templates.lockedAmulet]

const scan = (version: 0 | 1, path: string, answer: ScanRoute['answer']): ScanRoute => ({
  method: 'POST',
  path: `/api/scan/v${version}/holdings/${path}`,
  access: 'anyone',
  answer,
})

export const holdingsRoutes: readonly ScanRoute[] = [
  scan(0, 'state', (context, { body }) => holdingsState(context, body, 0)),
  scan(1, 'state', (context, { body }) => holdingsState(context, body, 1)),
  scan(0, 'summary', (context, { body }) => holdingsSummary(context, body)),
  scan(1, 'summary', (context, { body }) => holdingsSummaryV1(context, body)),
]

/** The Amulet of a created event, locked or not. */
const amuletOf = ({ createArgument }: Json): Json => createArgument.amulet ?? createArgument

function holdingsState(context: RouteContext, body: Json, version: 0 | 1): Promise<object> {
  const owners = new Set(ownersFrom(body))
  const only = {
    text: `owned by ${[...owners].toSorted().join(' ')}`,
    isWanted: (created: Json) => owners.has(amuletOf(created).owner),
  }
  return snapshotPage(context, body, { templates: holdingTemplates, only }, version)
}

type Totals = { unlocked: bigint; locked: bigint; unlockedFees: bigint; lockedFees: bigint }

/** Of the owners that have something. */
async function totalsOf(
  { dso }: RouteContext,
  offset: number,
  owners: readonly string[],
  round: number,
): Promise<ReadonlyMap<string, Totals>> {
  const wanted = new Set(owners)
  const totals = new Map<string, Totals>()
  for (const created of await dso.history.allAt(offset, holdingTemplates)) {
    const { owner, amount } = amuletOf(created)
    if (!wanted.has(owner)) continue
    const sums = totals.get(owner) ?? { unlocked: 0n, locked: 0n, unlockedFees: 0n, lockedFees: 0n }
    const kind = created.createArgument.amulet === undefined ? 'unlocked' : 'locked'
    sums[kind] += unitsFrom(amount.initialAmount)!
    sums[`${kind}Fees`] += holdingFee(amount, round)
    totals.set(owner, sums)
  }
  return totals
}

const amountsOf = (party: string, { unlocked, locked }: Totals) => ({
  party_id: party,
  total_unlocked_coin: decimalFrom(unlocked),
  total_locked_coin: decimalFrom(locked),
  total_coin_holdings: decimalFrom(unlocked + locked),
})

/** With fees up to a round, by default the first that is open. */
export async function holdingsSummary(context: RouteContext, body: Json): Promise<object> {
  const owners = ownersFrom(body)
  const { offset, recordMicros } = await snapshotOf(context, body)
  const round = body.as_of_round ?? (await firstOpenRound(context))
  if (!Number.isSafeInteger(round)) throw malformed('as_of_round is a number')
  const totals = await totalsOf(context, offset, owners, round)
  return {
    record_time: timeText(recordMicros),
    migration_id: migrationId,
    computed_as_of_round: round,
    summaries: [...totals].map(([party, sums]) => ({
      ...amountsOf(party, sums),
      accumulated_holding_fees_unlocked: decimalFrom(sums.unlockedFees),
      accumulated_holding_fees_locked: decimalFrom(sums.lockedFees),
      accumulated_holding_fees_total: decimalFrom(sums.unlockedFees + sums.lockedFees),
      total_available_coin: decimalFrom(sums.unlocked - sums.unlockedFees),
    })),
  }
}

export async function holdingsSummaryV1(context: RouteContext, body: Json): Promise<object> {
  const owners = ownersFrom(body)
  const { offset, recordMicros } = await snapshotOf(context, body)
  const totals = await totalsOf(context, offset, owners, 0)
  return {
    record_time: timeText(recordMicros),
    migration_id: migrationId,
    summaries: [...totals].map(([party, sums]) => amountsOf(party, sums)),
  }
}

async function firstOpenRound({ dso }: RouteContext): Promise<number> {
  const rounds = (await dso.all(templates.openMiningRound)).map(roundOf)
  if (rounds.length === 0) throw badRequest('No open mining rounds found.')
  return Math.min(...rounds)
}
