// A command from its arrival to the point where its outcome is decided elsewhere. Every decision on the way is made
// here; the callees only compute. Interpretation reads what is committed and may be overtaken, so commit checks the
// inputs again: a loser becomes a rejected completion, never a surprise.
import { LedgerError } from '../../base/errors.ts'
import { shorten } from '../../base/names.ts'
import { type Random, randomUuid } from '../../base/random.ts'
import type { Limits, Settings } from '../../base/settings.ts'
import type { EnginePool } from '../../engine/pool.ts'
import type { ClientCommand } from '../../engine/preparation.ts'
import type { Store } from '../../store/store.ts'
import type { Hosting } from '../administration/hosting.ts'
import type { PartyKeyRegister } from '../administration/party-keys.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { PackageSelection } from '../packages/package-selection.ts'
import { allowingAll } from '../routing/admission.ts'
import type { Routing } from '../routing/routing.ts'
import { cannotSubmit } from '../routing/routing-refusals.ts'
import type { Synchronizers } from '../synchronizers.ts'
import { changeIdOf, changeText } from './change-id.ts'
import { checkHints, type ValidCommands, validateCommands } from './command-validation.ts'
import type { Commands, SubmissionContext, Submissions } from './commands.ts'
import { readDisclosed } from './disclosed-contracts.ts'
import { createInFlight } from './in-flight.ts'
import { updateIdFrom } from './update-id.ts'

type Parts = {
  readonly store: Store
  readonly engine: Pick<EnginePool, 'interpret' | 'prefer'>
  readonly commits: CommitQueue
  readonly end: LedgerEnd
  readonly hosting: Hosting
  readonly partyKeys: PartyKeyRegister
  readonly synchronizers: Synchronizers
  readonly selection: PackageSelection
  readonly routing: Routing
  readonly participantId: string
  readonly time: LedgerTime
  readonly limits: Limits
  readonly compatibility: Settings['compatibility']
  readonly random: Random
}

export function createSubmissions(parts: Parts): Submissions {
  const { store, engine, commits, end, hosting, partyKeys, synchronizers, selection, routing } = parts
  const { participantId, time, random } = parts
  const inFlight = createInFlight(parts.limits)
  let toldPreferences: number | undefined

  /** Answers with what will be the outcome, once the command is on its way. */
  async function start(commands: ValidCommands, context: SubmissionContext): Promise<{ outcome: Promise<Decision> }> {
    const { submitter, actAs, readAs } = commands
    const resolved = await resolvePackages(commands)
    const candidates = selection.candidates(commands.synchronizerId)
    const disclosed = await readDisclosed(commands.disclosedContracts)
    const preference = await selection.checkPreference(commands.packageIdSelectionPreference)
    checkHints(commands, parts)
    await checkSubmitter(submitter)
    const ledgerTime = await time.at(commands.minLedgerTime, context.signal)
    await tellPreferences(ledgerTime)
    const { named, location } = await namedContracts(resolved, disclosed.contracts)
    const likely = candidates.find(({ number }) => number === location) ?? candidates[0]!
    const others = await selection.preferencesOn(likely, ledgerTime)
    const seed = random.bytes(32)
    const snapshot = end.current().offset
    using _announced = commits.announce()
    const { served, effects } = await engine.interpret(
      {
        commands: resolved,
        actAs,
        readAs,
        contracts: [...disclosed.contracts, ...named],
        ledgerTime,
        preparationTime: ledgerTime,
        seed,
        participantId,
        prefetchKeys: commands.prefetchContractKeys,
        ...((others !== undefined || preference.size > 0) && {
          packagePreference: { ...others, ...Object.fromEntries(preference) },
        }),
      },
      context.signal,
    )
    const route = await routing.route({
      actAs,
      readAs,
      informees: effects.onlookers.length === 0 ? served.parties : [...served.parties, ...effects.onlookers],
      inputContracts: effects.inputContracts,
      packages: effects.packages,
      synchronizerId: commands.synchronizerId,
      disclosedContracts: new Set(disclosed.contracts.map(({ id }) => id)),
      disclosed: disclosed.synchronizers,
      now: ledgerTime,
    })
    const { synchronizer } = route
    if (route.strays.length > 0) await routing.gather(route, commands, context)
    const changeId = changeIdOf(commands)
    const claim = inFlight.claim(
      changeId.toString('latin1'),
      commands.submissionId,
      changeText(commands),
      synchronizer.id,
    )
    const outcome = commits.enqueue({
      kind: 'transaction',
      ...commands,
      change: changeText(commands),
      changeId,
      traceContext: context.traceContext,
      updateId: updateIdFrom(seed),
      ledgerTime,
      synchronizer,
      snapshot,
      served,
      effects,
    })
    return { outcome: outcome.finally(() => claim[Symbol.dispose]()) }
  }

  /** Whether the participant may act for it at all; where, routing finds out when it knows who else is concerned. */
  async function checkSubmitter(submitter: string): Promise<void> {
    const hosted = await hosting.of(submitter)
    const places = synchronizers.list().filter(({ number }) => hosted.includes(number))
    if (places.length === 0) throw unknownSubmitter(submitter)
    if ((await allowingAll([submitter], places, partyKeys)).length > 0) return
    throw cannotSubmit([submitter], { context: { unknownSubmitter: submitter } })
  }

  async function resolvePackages(commands: ValidCommands): Promise<ClientCommand[]> {
    const { packageIdSelectionPreference: preference, submitter: party, synchronizerId } = commands
    const references = commands.commands.map(({ templateId }) => templateId.slice(0, templateId.indexOf(':')))
    const request = { preference, party, synchronizerId, now: time.now() }
    const packageIds = await selection.resolve(references, request)
    return commands.commands.map((command, index) => {
      const reference = references[index]!
      return { ...command, templateId: `${packageIds.get(reference)}${command.templateId.slice(reference.length)}` }
    })
  }

  /** Threads know which version of each package interfaces use; it rarely changes. */
  async function tellPreferences(now: bigint): Promise<void> {
    const { version, byName } = await selection.preferences(now)
    if (version === toldPreferences) return
    toldPreferences = version
    engine.prefer(byName)
  }

  /** Contracts that the commands exercise, so that interpretation need not ask for them; and where the first is. */
  async function namedContracts(commands: readonly ClientCommand[], disclosed: readonly { readonly id: string }[]) {
    const given = new Set(disclosed.map(({ id }) => id))
    const ids = commands.flatMap((command) =>
      command.kind === 'exercise' && isContractId(command.contractId) && !given.has(command.contractId)
        ? [command.contractId]
        : [],
    )
    if (ids.length === 0) return { named: [], location: undefined }
    const found = await store.contracts.blobs(ids)
    return { named: found.map(({ contractId, blob }) => ({ id: contractId, blob })), location: found[0]?.location }
  }

  /** Whatever is refused is told with the submission it belongs to. */
  async function begin(given: Commands, context: SubmissionContext) {
    const submissionId = given.submissionId === '' ? randomUuid(random) : given.submissionId
    try {
      const commands = validateCommands({ ...given, submissionId }, { limits: parts.limits, now: time.now() })
      return await start(commands, context)
    } catch (error) {
      if (!(error instanceof LedgerError) || error.details.early) throw error
      throw new LedgerError(error.code, error.message, { ...error.details, correlationId: shorten(submissionId) })
    }
  }

  return {
    async submit(commands, context) {
      const { outcome } = await begin(commands, context)
      outcome.catch(() => undefined) // The log has it; nobody waits for it.
    },
    async submitAndWait(commands, context) {
      const { outcome } = await begin(commands, context)
      const decision = await outcome
      if (decision.kind === 'rejected') throw decision.error
      return { updateId: decision.updateId, completionOffset: decision.offset }
    },
  }
}

function unknownSubmitter(party: string): LedgerError {
  return new LedgerError(
    'UNKNOWN_SUBMITTERS',
    'The participant is not connected to any synchronizer where the given submitters are known.',
    { context: { unknownSubmitters: `Set(${party})` } },
  )
}

function isContractId(text: string): boolean {
  return /^[0-9a-f]{4,400}$/.test(text)
}
