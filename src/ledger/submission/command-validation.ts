// Validates a submission by itself, before anything is looked up. Checks, their order and error texts are those of
// Canton's CommandsValidator; the first failure counts.
import {
  invalidArgument,
  invalidField,
  type LedgerError,
  missingField,
  LedgerError as Refusal,
} from '../../base/errors.ts'
import { ledgerStringProblem, partyProblem, shorten, uniqueIdentifierProblem, userIdProblem } from '../../base/names.ts'
import { setOrder } from '../../base/scala-order.ts'
import type { Limits, Settings } from '../../base/settings.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Deduplication } from '../commit/commit-item.ts'
import type { Commands, DeduplicationPeriod, Duration, PrefetchKey } from '../model/commands.ts'

export type ValidCommands = Omit<Commands, 'deduplicationPeriod' | 'minLedgerTimeAbs' | 'minLedgerTimeRel'> & {
  /** The acting parties in the order of texts about them. */
  readonly acting: readonly string[]
  /** The first acting party, by which packages are selected. */
  readonly submitter: string
  readonly deduplication: Deduplication
  /** The ledger time that the submitter wants, in microseconds; undefined for the current one. */
  readonly ledgerTime: bigint | undefined
}

const byNode = { foundBy: 'node' } as const

/** Passes of topology-aware package selection that a command may ask for: Canton's limit. */
const passesMax = 4

type HintRules = { readonly compatibility: Settings['compatibility'] }
type ValidationRules = { readonly limits: Limits; readonly now: bigint }

const nanosPerMicro = 1000n
const microsPerSecond = 1_000_000n

export function validateCommands(commands: Commands, rules: ValidationRules): ValidCommands {
  const { workflowId, userId, commandId, actAs, readAs, synchronizerId } = commands
  if (workflowId !== '') refuse(ledgerStringProblem(workflowId), invalidArgument)
  if (userId === '') throw missingField('user_id')
  refuse(userIdProblem(userId), (problem) => invalidField('user_id', problem))
  if (commandId === '') throw missingField('command_id')
  refuse(ledgerStringProblem(commandId), (problem) => invalidField('command_id', problem))
  if (commands.submissionId !== '') {
    refuse(ledgerStringProblem(commands.submissionId), (problem) => invalidField('submission_id', problem))
  }
  if (actAs.length === 0) throw missingField('party or act_as')
  for (const party of [...actAs, ...readAs]) refuse(partyProblem(party), invalidArgument)
  if (synchronizerId !== '') {
    refuse(uniqueIdentifierProblem(synchronizerId), (problem) => {
      const overGrpc = invalidField('synchronizer_id', problem, { foundBy: 'request' })
      return invalidField('synchronizer_id', problem, { ...byNode, overGrpc })
    })
  }
  if (commands.commands.length === 0) throw missingField('commands')
  const ledgerTime = ledgerTimeOf(commands, rules.now)
  const deduplication = deduplicationOf(commands.deduplicationPeriod, rules.limits)
  const acting = new Set(actAs)
  const { submissionId, disclosedContracts, packageIdSelectionPreference, prefetchContractKeys, tapsMaxPasses } =
    commands
  // Field by field: V8 takes several times as long to copy the rest of an object.
  return {
    commands: commands.commands,
    commandId,
    userId,
    workflowId,
    submissionId,
    disclosedContracts,
    synchronizerId,
    packageIdSelectionPreference,
    prefetchContractKeys,
    tapsMaxPasses,
    submitter: actAs[0]!,
    actAs: [...acting].sort(),
    acting: setOrder(actAs),
    readAs: [...new Set(readAs)].filter((party) => !acting.has(party)).sort(),
    ledgerTime,
    deduplication,
  }
}

/** Hints for speed and package selection are checked after everything else. */
export function checkHints(
  { prefetchContractKeys, tapsMaxPasses }: Pick<Commands, 'prefetchContractKeys' | 'tapsMaxPasses'>,
  rules: HintRules,
): void {
  for (const key of prefetchContractKeys) checkPrefetch(key)
  checkPasses(tapsMaxPasses, rules)
}

/** Undefined if the submitter does not mind. A time relative to the current one may be before it, as in Canton. */
export function ledgerTimeOf(
  { minLedgerTimeAbs, minLedgerTimeRel }: Pick<Commands, 'minLedgerTimeAbs' | 'minLedgerTimeRel'>,
  now: bigint,
): bigint | undefined {
  if (minLedgerTimeRel === undefined) {
    return minLedgerTimeAbs === undefined || minLedgerTimeAbs > now ? minLedgerTimeAbs : now
  }
  if (minLedgerTimeAbs !== undefined) {
    throw invalidArgument('min_ledger_time_abs cannot be specified at the same time as min_ledger_time_rel')
  }
  const wanted = now + durationMicros(minLedgerTimeRel)
  if (wanted >= earliestTime && wanted <= latestTime) return wanted
  throw invalidArgument(`Can not represent command ledger time ${farInstantToText(wanted)} as a Daml timestamp`)
}

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z. */
export const earliestTime = -62_135_596_800_000_000n
export const latestTime = 253_402_300_799_999_999n

/** The calendar repeats every 400 years. */
const cycle = { years: 400n, micros: 146_097n * 86_400n * microsPerSecond } as const

/** In java.time's format for years of more than four digits. */
function farInstantToText(micros: bigint): string {
  const within = ((micros % cycle.micros) + cycle.micros) % cycle.micros
  const text = instantToText(within)
  const year = BigInt(text.slice(0, 4)) + ((micros - within) / cycle.micros) * cycle.years
  const digits = String(year < 0n ? -year : year).padStart(4, '0')
  return `${year < 0n ? '-' : year > 9999n ? '+' : ''}${digits}${text.slice(4)}`
}

/** Rounded down. */
function durationMicros({ seconds, nanos }: Duration): bigint {
  const total = BigInt(nanos)
  const micros = total / nanosPerMicro - (total % nanosPerMicro < 0n ? 1n : 0n)
  return seconds * microsPerSecond + micros
}

export function deduplicationOf(period: DeduplicationPeriod | undefined, limits: Limits): Deduplication {
  if (period === undefined) return { kind: 'duration', micros: BigInt(limits.deduplicationDurationMaxMs) * 1000n }
  if (period.kind === 'duration') {
    const micros = durationMicros(period.duration)
    if (micros < 0n) throw invalidField('deduplication_period', 'Duration must be positive')
    return { kind: 'duration', micros }
  }
  if (period.offset < 0n) {
    const reason = `the deduplication offset has to be a non-negative integer and not ${period.offset}`
    throw new Refusal(
      'NEGATIVE_OFFSET',
      `Offset ${period.offset} in deduplication_period is a negative integer: ${reason}`,
    )
  }
  return period
}

function checkPrefetch({ limit }: PrefetchKey): void {
  if (limit !== undefined && limit <= 0) throw invalidArgument(`limit must be a positive integer, but got ${limit}`)
}

/** Canton lowers a larger value to the limit; the specification wants it refused. */
function checkPasses(passes: number | undefined, { compatibility }: HintRules): void {
  if (passes === undefined) return
  if (passes <= 0) throw invalidArgument(`taps_max_passes must be strictly positive, but got ${passes}.`)
  if (passes <= passesMax || compatibility === 'canton-3.5') return
  throw invalidArgument(`taps_max_passes must not exceed ${passesMax}, but got ${passes}.`)
}

function refuse(problem: string | undefined, error: (problem: string) => LedgerError): void {
  if (problem !== undefined) throw error(shorten(problem, 600))
}
