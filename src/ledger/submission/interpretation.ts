// From a valid command to its transaction and synchronizer: for submissions, which then commit, and for clients that
// only want to see or sign the transaction.
import { foundByNode, LedgerError } from '../../base/errors.ts'
import { type Random, randomAbout } from '../../base/random.ts'
import type { Limits, Settings } from '../../base/settings.ts'
import type { KnownContract } from '../../engine/ledger-access.ts'
import type { ServedInterpretation } from '../../engine/pool/interpretation-messages.ts'
import type { EnginePool } from '../../engine/pool/pool.ts'
import type { ClientCommand } from '../../engine/requests/command-decoding.ts'
import type { PreparationFacts, Prepared } from '../../engine/requests/prepared-transaction.ts'
import { informeesOf, type Served } from '../../engine/requests/served-transaction.ts'
import type { Store } from '../../store/core/store.ts'
import { changeText } from '../commit/ids.ts'
import type { SubmissionContext } from '../model/commands.ts'
import type { LedgerEnd } from '../model/ledger-end.ts'
import type { LedgerTime } from '../model/ledger-time.ts'
import { type Synchronizer, type Synchronizers, signedId } from '../model/synchronizers.ts'
import type { Requirements } from '../packages/common-candidates.ts'
import { allowingAll } from '../routing/admission.ts'
import type { PackageSelection, Preferences } from '../routing/package-selection.ts'
import { isRefusal, type Route, type Routing, type RoutingRequest, usesKeys } from '../routing/routing.ts'
import {
  cannotSubmit,
  unknownInformees,
  unknownSubmitters,
  withoutContext,
  withTrace,
} from '../routing/routing-refusals.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import { checkHints, type ValidCommands } from './command-validation.ts'
import { type Disclosed, readDisclosed } from './disclosed-contracts.ts'

type Parts = {
  readonly store: Store
  readonly engine: Pick<EnginePool, 'interpret' | 'prefer'>
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
  /** The network of this participant; undefined if it is alone. */
  readonly place?: object | undefined
}

/** For a transaction to be signed: needs no permission to submit. */
export type Signing = Omit<PreparationFacts, 'synchronizerId'>

type Options = {
  readonly signing?: Signing
  /** Whether to include an account of what happened, for developers. */
  readonly explains?: boolean
  /** Called when only computation remains. */
  readonly onStart?: () => void
}

export type Interpreted = Served & {
  readonly prepared: Prepared | undefined
  readonly account: string | undefined
  readonly traces: readonly string[]
  /** Microseconds since 1970. */
  readonly ledgerTime: bigint
  readonly seed: Uint8Array
  readonly route: Route
}

/** What interpretation needs to know of the commands. */
type Inputs = {
  /** The commands, with package ids instead of names. */
  readonly resolved: ClientCommand[]
  readonly disclosed: Disclosed
  /** Package ids that the client prefers, by package name. */
  readonly preference: ReadonlyMap<string, string>
  readonly named: Named['named']
  /** The synchronizer that routing will probably choose. */
  readonly likely: Synchronizer
  /** Microseconds since 1970, like the ledger time. */
  readonly preparedAt: bigint
  readonly ledgerTime: bigint
  /** The package of each name, once they were selected for all parties of the transaction. */
  readonly selected?: Readonly<Record<string, string>>
}

type Run = {
  readonly commands: ValidCommands
  readonly inputs: Inputs
  /** The package names that parties are known to need. */
  readonly requirements: Requirements
  /** How often packages were selected. */
  readonly passes: number
  readonly seed: Uint8Array
  readonly signing: Signing | undefined
  readonly explains: boolean | undefined
  readonly signal: AbortSignal
}

/** A result, the ledger time at which it holds, and the synchronizer that it was interpreted for. */
type Timed = {
  readonly result: ServedInterpretation
  readonly ledgerTime: bigint
  readonly synchronizer: Synchronizer
}

type Routed = { readonly run: Run; readonly timed: Timed; readonly route: Route }

export type Interpretation = ReturnType<typeof createInterpretation>

export function createInterpretation(parts: Parts) {
  const { store, engine, end, hosting, partyKeys, synchronizers, selection, routing, participantId, time } = parts
  let toldPreferences: number | undefined

  async function interpret(
    commands: ValidCommands,
    context: SubmissionContext,
    { signing, explains, onStart }: Options = {},
  ): Promise<Interpreted> {
    const inputs = await inputsOf(commands, signing !== undefined)
    const snapshot = end.current().offset
    const seed = randomAbout(parts.random, () => `transaction ${changeText(commands)} after ${snapshot}`).bytes(32)
    onStart?.()
    const requirements = new Map([[commands.submitter, new Set(rootNames(commands))]])
    const run = { commands, inputs, requirements, passes: 1, seed, signing, explains, signal: context.signal }
    const first = await interpretInTime(run, inputs.likely, inputs.ledgerTime)
    const { run: last, timed, route } = await routed(run, first)
    // The signed bytes name the synchronizer, and its protocol version says what Daml may do.
    const isElsewhere = signing !== undefined && route.synchronizer.number !== timed.synchronizer.number
    const isOtherwise = route.synchronizer.protocolVersion !== timed.synchronizer.protocolVersion
    const { result, ledgerTime } =
      isElsewhere || isOtherwise ? await interpretInTime(last, route.synchronizer, timed.ledgerTime) : timed
    const { served, effects, prepared, account, traces } = result
    return { served, effects, prepared, account, traces, ledgerTime, seed, route }
  }

  /** Checks the commands in Canton's order, and finds what interpretation needs. */
  async function inputsOf(commands: ValidCommands, isSigned: boolean): Promise<Inputs> {
    const { resolved, candidates } = await chosenFor(commands, isSigned)
    const { disclosedContracts, packageIdSelectionPreference } = commands
    const disclosed = disclosedContracts.length === 0 ? nothingDisclosed : await readDisclosed(disclosedContracts)
    const preference =
      packageIdSelectionPreference.length === 0
        ? noPreference
        : await selection.checkPreference(packageIdSelectionPreference)
    checkHints(commands, parts)
    await checkSubmitter(commands.submitter, isSigned)
    const preparedAt = time.now()
    const ledgerTime = commands.ledgerTime ?? preparedAt
    const telling = tellPreferences(ledgerTime)
    if (telling !== undefined) await telling
    const ids = namedIn(resolved, disclosed.contracts)
    const { named, location } = ids.length === 0 ? nothingNamed : await contractsWith(ids)
    const likely = candidates.find(({ number }) => number === location) ?? candidates[0]!
    return { resolved, disclosed, preference, named, likely, preparedAt, ledgerTime }
  }

  /** Tries later ledger times until none of the contracts that it uses was created later. */
  async function interpretInTime(run: Run, synchronizer: Synchronizer, earliest: bigint): Promise<Timed> {
    let ledgerTime = earliest
    for (let retries = 0; ; retries += 1) {
      const result = await interpretOn(run, synchronizer, ledgerTime)
      const { laterInput } = result.effects
      if (laterInput === undefined) return { result, ledgerTime, synchronizer }
      if (retries === retriesMax) throw noLedgerTime(retries)
      ledgerTime = laterInput
    }
  }

  async function interpretOn(
    { commands, inputs, seed, signing, explains, signal }: Run,
    synchronizer: Synchronizer,
    ledgerTime: bigint,
  ) {
    const { resolved, disclosed, named, preparedAt } = inputs
    const packagePreference = await preferenceFor(inputs, synchronizer, ledgerTime)
    return engine.interpret(
      {
        commands: resolved,
        actAs: commands.acting,
        readAs: commands.readAs,
        contracts: [...disclosed.contracts, ...named],
        ledgerTime,
        preparationTime: signing ? preparedAt : ledgerTime,
        seed,
        participantId,
        protocolVersion: synchronizer.protocolVersion,
        prefetchKeys: commands.prefetchContractKeys,
        ...(packagePreference && { packagePreference }),
        ...(explains && { explains }),
        ...(parts.place && { isShared: true }),
        ...(signing && { preparation: { ...signing, synchronizerId: signedId(synchronizer) } }),
      },
      signal,
      commands.userId || commands.submitter,
    )
  }

  /** Undefined if it is what the threads were told. */
  async function preferenceFor({ preference, selected }: Inputs, synchronizer: Synchronizer, ledgerTime: bigint) {
    if (selected !== undefined) return selected
    const others = await selection.preferencesOn(synchronizer, ledgerTime)
    if (others === undefined && preference.size === 0) return undefined
    return { ...others, ...(await selection.preferenceOn(synchronizer, preference, ledgerTime)) }
  }

  /**
   * Routes the transaction. If it has no route, packages are selected once more for all of its parties, and it is
   * interpreted with these: participants of other parties may not have vetted what the submitter's has.
   */
  async function routed(run: Run, timed: Timed): Promise<Routed> {
    const request = routingRequest(run, timed)
    try {
      return { run, timed, route: await routing.route(request) }
    } catch (error) {
      if (!isRefusal(error)) throw error
      const { commands, inputs, passes } = run
      const requirements = await requirementsAfter(run, timed)
      if (passes >= passesMax(commands) || !isMore(requirements, run.requirements)) throw withoutContext(error)
      const { preference } = inputs
      const isNetwork = timed.result.effects.roles !== undefined
      const selecting = isNetwork ? { requirements, rootNames: rootNames(commands), preference } : undefined
      const again = await routing.selectAgain(request, selecting)
      if (again === undefined) throw withoutContext(error)
      const selected = again.packages
      const resolved = withPackages(commands, (reference) =>
        isName(reference) ? selected[reference.slice(1)]! : reference,
      )
      const next = { ...run, requirements, passes: passes + 1, inputs: { ...inputs, selected, resolved } }
      return routed(next, await interpretInTime(next, again.synchronizer, timed.ledgerTime))
    }
  }

  /** What the parties of the transaction need, beside what was known to be needed before. */
  async function requirementsAfter(run: Run, { result }: Timed): Promise<Requirements> {
    const { packages, roles = informeesOf(result).map((party) => ({ party, packages })) } = result.effects
    const requirements = new Map(run.requirements)
    for (const { party, packages: needed } of roles) {
      const names = new Set(await selection.namesOf(needed))
      requirements.set(party, names.union(requirements.get(party) ?? names))
    }
    return requirements
  }

  function routingRequest({ commands, inputs, signing }: Run, { result, ledgerTime }: Timed): RoutingRequest {
    const { disclosed } = inputs
    const { effects } = result
    return {
      actAs: commands.actAs,
      readAs: commands.readAs,
      ...(signing && { isExternallySigned: true }),
      informees: informeesOf(result),
      inputContracts: effects.inputContracts,
      packages: effects.packages,
      roles: effects.roles,
      synchronizerId: commands.synchronizerId,
      disclosedContracts: new Set(disclosed.contracts.map(({ id }) => id)),
      disclosed: disclosed.synchronizers,
      usesKeys: usesKeys(effects),
      hashingScheme: signing?.scheme,
      now: ledgerTime,
    }
  }

  /** Packages and synchronizers are selected before Canton knows the submission. */
  async function chosenFor(commands: ValidCommands, isSigned: boolean) {
    try {
      return {
        resolved: await resolvePackages(commands),
        candidates: selection.candidates(commands.synchronizerId),
      }
    } catch (error) {
      throw foundByNode(isSigned ? error : overGrpcOfSubmitter(error, commands.submitter))
    }
  }

  /** Checks that the participant may act for the submitter anywhere; routing finds out where. */
  async function checkSubmitter(submitter: string, isSigned: boolean): Promise<void> {
    try {
      const hosted = await hosting.of(submitter)
      const places = synchronizers.list().filter(({ number }) => hosted.includes(number))
      if (places.length === 0) throw isSigned ? unknownInformees([submitter]) : unknownSubmitters([submitter])
      const allowing = isSigned ? places : await allowingAll([submitter], places, partyKeys)
      if (allowing.length > 0) return
      throw cannotSubmit([submitter])
    } catch (error) {
      throw error instanceof LedgerError ? withTrace(error) : error
    }
  }

  /** The submitter is an informee for Canton's JSON layer, which selects packages by it. */
  function overGrpcOfSubmitter(error: unknown, submitter: string): unknown {
    if (!(error instanceof LedgerError) || error.code !== 'UNKNOWN_INFORMEES') return error
    const overGrpc = withTrace(unknownSubmitters([submitter]))
    return new LedgerError(error.code, error.message, { ...error.details, overGrpc })
  }

  async function resolvePackages(commands: ValidCommands): Promise<ClientCommand[]> {
    const { packageIdSelectionPreference: preference, submitter: party, synchronizerId } = commands
    const references = commands.commands.map(referenceOf)
    const request = { preference, party, synchronizerId, now: time.now() }
    const packageIds = await selection.resolve(references, request)
    return withPackages(commands, (reference) => packageIds.get(reference)!)
  }

  /** Tells threads which version of each package interfaces use; it rarely changes. */
  function tellPreferences(now: bigint): Promise<void> | undefined {
    const preferences = selection.preferences(now)
    if (preferences instanceof Promise) return preferences.then(tell)
    tell(preferences)
    return undefined
  }

  function tell({ version, byName }: Preferences): void {
    if (version === toldPreferences) return
    toldPreferences = version
    engine.prefer(byName)
  }

  /** With these ids, so that interpretation need not load them; and where the first is. */
  async function contractsWith(ids: readonly string[]): Promise<Named> {
    const found = await store.contracts.blobs(ids)
    return { named: found.map(({ contractId, blob }) => ({ id: contractId, blob })), location: found[0]?.location }
  }

  return { interpret, tellPreferences }
}

type Named = { readonly named: readonly KnownContract[]; readonly location: bigint | undefined }

// What most commands have. They need not wait for it.
const nothingDisclosed: Disclosed = { contracts: [], synchronizers: new Map() }
const noPreference: ReadonlyMap<string, string> = new Map()
const nothingNamed: Named = { named: [], location: undefined }

/** The ids of the contracts that the commands exercise. */
function namedIn(commands: readonly ClientCommand[], disclosed: readonly { readonly id: string }[]): string[] {
  const known = new Set(disclosed.map(({ id }) => id))
  return commands.flatMap((command) =>
    command.kind === 'exercise' && isContractId(command.contractId) && !known.has(command.contractId)
      ? [command.contractId]
      : [],
  )
}

/** As Canton does unless it is asked for less. */
const passesMax = ({ tapsMaxPasses }: ValidCommands): number => tapsMaxPasses ?? 3

function isMore(requirements: Requirements, before: Requirements): boolean {
  return [...requirements].some(([party, names]) => !(before.get(party)?.isSupersetOf(names) ?? false))
}

const referenceOf = ({ templateId }: ClientCommand): string => templateId.slice(0, templateId.indexOf(':'))
const isName = (reference: string): boolean => reference.startsWith('#')

/** The package names in the commands themselves. */
const rootNames = ({ commands }: ValidCommands): readonly string[] =>
  commands.map(referenceOf).flatMap((reference) => (isName(reference) ? reference.slice(1) : []))

function withPackages({ commands }: ValidCommands, packageOf: (reference: string) => string): ClientCommand[] {
  return commands.map((command) => {
    const reference = referenceOf(command)
    return { ...command, templateId: `${packageOf(reference)}${command.templateId.slice(reference.length)}` }
  })
}

/** How often a later ledger time is tried. */
const retriesMax = 3

function noLedgerTime(retries: number): LedgerError {
  return new LedgerError(
    'FAILED_TO_DETERMINE_LEDGER_TIME',
    'The participant failed to determine the max ledger time for this command: ' +
      `Could not find a suitable ledger time after ${retries} retries`,
  )
}

function isContractId(text: string): boolean {
  return /^[0-9a-f]{4,400}$/.test(text)
}
