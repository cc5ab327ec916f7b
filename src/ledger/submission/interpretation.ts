// From a valid command to its transaction and synchronizer: for submissions, which then commit, and for clients that
// only want to see or sign the transaction.
import { foundByNode, LedgerError } from '../../base/errors.ts'
import { type Random, randomAbout } from '../../base/random.ts'
import type { Limits, Settings } from '../../base/settings.ts'
import type { EnginePool } from '../../engine/pool/pool.ts'
import type { ClientCommand } from '../../engine/requests/command-decoding.ts'
import type { PreparationFacts, Prepared } from '../../engine/requests/prepared-transaction.ts'
import { informeesOf, type Served } from '../../engine/requests/served-transaction.ts'
import type { Store } from '../../store/store.ts'
import type { Hosting } from '../administration/hosting.ts'
import type { PartyKeyRegister } from '../administration/party-keys.ts'
import type { LedgerEnd } from '../ledger-end.ts'
import type { LedgerTime } from '../ledger-time.ts'
import type { PackageSelection } from '../packages/package-selection.ts'
import { allowingAll } from '../routing/admission.ts'
import { type Route, type Routing, usesKeys } from '../routing/routing.ts'
import { cannotSubmit } from '../routing/routing-refusals.ts'
import { type Synchronizer, type Synchronizers, signedId } from '../synchronizers.ts'
import { changeText } from './change-id.ts'
import { checkHints, type ValidCommands } from './command-validation.ts'
import type { SubmissionContext } from './commands.ts'
import { readDisclosed } from './disclosed-contracts.ts'

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
}

/** For a transaction to be signed: needs no permission to submit, and does not wait for its ledger time. */
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
  /** The ledger end when interpretation began. */
  readonly snapshot: bigint
  readonly route: Route
}

export type Interpretation = ReturnType<typeof createInterpretation>

export function createInterpretation(parts: Parts) {
  const { store, engine, end, hosting, partyKeys, synchronizers, selection, routing, participantId, time } = parts
  let toldPreferences: number | undefined

  async function interpret(
    commands: ValidCommands,
    context: SubmissionContext,
    { signing, explains, onStart }: Options = {},
  ): Promise<Interpreted> {
    const { submitter, actAs, readAs } = commands
    const { resolved, candidates } = await byNode(async () => ({
      resolved: await resolvePackages(commands),
      candidates: selection.candidates(commands.synchronizerId),
    }))
    const disclosed = await readDisclosed(commands.disclosedContracts)
    const preference = await selection.checkPreference(commands.packageIdSelectionPreference)
    checkHints(commands, parts)
    await byNode(() => checkSubmitter(submitter, signing !== undefined))
    const preparedAt = time.now()
    const ledgerTime = signing
      ? later(preparedAt, commands.minLedgerTime)
      : await time.at(commands.minLedgerTime, context.signal)
    await tellPreferences(ledgerTime)
    const { named, location } = await namedContracts(resolved, disclosed.contracts)
    const likely = candidates.find(({ number }) => number === location) ?? candidates[0]!
    const snapshot = end.current().offset
    const seed = randomAbout(parts.random, () => `transaction ${changeText(commands)} after ${snapshot}`).bytes(32)
    onStart?.()

    async function interpretFor(synchronizer: Synchronizer) {
      const others = await selection.preferencesOn(synchronizer, ledgerTime)
      return engine.interpret(
        {
          commands: resolved,
          actAs: commands.acting,
          readAs,
          contracts: [...disclosed.contracts, ...named],
          ledgerTime,
          preparationTime: signing ? preparedAt : ledgerTime,
          seed,
          participantId,
          protocolVersion: synchronizer.protocolVersion,
          prefetchKeys: commands.prefetchContractKeys,
          ...((others !== undefined || preference.size > 0) && {
            packagePreference: { ...others, ...(await selection.preferenceOn(synchronizer, preference, ledgerTime)) },
          }),
          ...(explains && { explains }),
          ...(signing && { preparation: { ...signing, synchronizerId: signedId(synchronizer) } }),
        },
        context.signal,
        commands.userId || submitter,
      )
    }

    const interpreted = await interpretFor(likely)
    const route = await routing.route({
      actAs,
      readAs,
      ...(signing && { isExternallySigned: true }),
      informees: informeesOf(interpreted),
      inputContracts: interpreted.effects.inputContracts,
      packages: interpreted.effects.packages,
      synchronizerId: commands.synchronizerId,
      disclosedContracts: new Set(disclosed.contracts.map(({ id }) => id)),
      disclosed: disclosed.synchronizers,
      usesKeys: usesKeys(interpreted.effects),
      hashingScheme: signing?.scheme,
      now: ledgerTime,
    })
    // The signed bytes name the synchronizer, and its protocol version says what Daml may do.
    const isElsewhere = signing !== undefined && route.synchronizer.number !== likely.number
    const isOtherwise = route.synchronizer.protocolVersion !== likely.protocolVersion
    const { served, effects, prepared, account, traces } =
      isElsewhere || isOtherwise ? await interpretFor(route.synchronizer) : interpreted
    return { served, effects, prepared, account, traces, ledgerTime, seed, snapshot, route }
  }

  /** Checks that the participant may act for the submitter anywhere; routing finds out where. */
  async function checkSubmitter(submitter: string, isSigned: boolean): Promise<void> {
    const hosted = await hosting.of(submitter)
    const places = synchronizers.list().filter(({ number }) => hosted.includes(number))
    if (places.length === 0) throw isSigned ? unknownInformee(submitter) : unknownSubmitter(submitter)
    if (isSigned || (await allowingAll([submitter], places, partyKeys)).length > 0) return
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

  /** Tells threads which version of each package interfaces use; it rarely changes. */
  async function tellPreferences(now: bigint): Promise<void> {
    const { version, byName } = await selection.preferences(now)
    if (version === toldPreferences) return
    toldPreferences = version
    engine.prefer(byName)
  }

  /** The contracts that the commands exercise, so that interpretation need not load them; and where the first is. */
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

  return { interpret, tellPreferences }
}

/** Packages and synchronizers are selected before Canton knows the submission. */
async function byNode<Result>(select: () => Promise<Result>): Promise<Result> {
  try {
    return await select()
  } catch (error) {
    throw foundByNode(error)
  }
}

function later(now: bigint, minimum: bigint | undefined): bigint {
  return minimum !== undefined && minimum > now ? minimum : now
}

function unknownSubmitter(party: string): LedgerError {
  return new LedgerError(
    'UNKNOWN_SUBMITTERS',
    'The participant is not connected to any synchronizer where the given submitters are known.',
    { context: { unknownSubmitters: `Set(${party})` } },
  )
}

function unknownInformee(party: string): LedgerError {
  return new LedgerError(
    'UNKNOWN_INFORMEES',
    'The participant is not connected to any synchronizer where the given informees are known.',
    { context: { unknownInformees: `Set(${party})` } },
  )
}

function isContractId(text: string): boolean {
  return /^[0-9a-f]{4,400}$/.test(text)
}
