// Selects the synchronizer of a transaction: where its contracts are, the one its submitter names, or the best that all
// parties share. Contracts elsewhere are moved there first. Mirrors Canton's TransactionRoutingProcessor,
// SynchronizerSelector and ContractsReassigner.
import { foundByNode, LedgerError } from '../../base/errors.ts'
import type { PartyRole } from '../../engine/requests/party-roles.ts'
import type { LedgerEffects } from '../../engine/requests/served-transaction.ts'
import { signatoriesIn } from '../../events/format/event-pieces.ts'
import type { HashingScheme } from '../../lf/codec/prepared-hash-input.ts'
import type { ContractState } from '../../store/core/contract-records.ts'
import type { Store } from '../../store/core/store.ts'
import type { SubmissionContext } from '../model/commands.ts'
import type { Names } from '../model/name-numbers.ts'
import { numbersIn } from '../model/name-numbers.ts'
import { comparePreference, type Synchronizer, type Synchronizers } from '../model/synchronizers.ts'
import type { PackageNeed } from '../packages/host-vetting.ts'
import type { Move, Reassignments } from '../reassignment/reassignment-commands.ts'
import type { Hosting } from '../topology/hosting.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import { admissible, hostsAll } from './admission.ts'
import type { Reselection, ReselectionRequest, Selected } from './package-reselection.ts'
import type { PackageSelection } from './package-selection.ts'
import * as refusals from './routing-refusals.ts'

export type RoutingRequest = {
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  /** The acting parties signed it, so the participant needs no permission to submit for them. */
  readonly isExternallySigned?: true
  /** How Canton tells a refusal: of a prepared transaction, with everything that is known about it. */
  readonly isPrepared?: true
  /** All parties involved. */
  readonly informees: readonly string[]
  readonly inputContracts: readonly string[]
  readonly packages: readonly string[]
  /** Undefined outside a network. */
  readonly roles?: readonly PartyRole[] | undefined
  /** "" lets the node choose. */
  readonly synchronizerId: string
  readonly disclosedContracts: ReadonlySet<string>
  /** The synchronizers that the submitter names for disclosed contracts. */
  readonly disclosed: ReadonlyMap<string, string>
  readonly usesKeys: boolean
  /** The one that external parties sign by. */
  readonly hashingScheme?: HashingScheme | undefined
  /** Microseconds since 1970. */
  readonly now: bigint
}

/** A contract that must move, and the party to move it for. */
type Stray = { readonly contract: ContractState; readonly submitter: string }

export type Route = {
  readonly synchronizer: Synchronizer
  readonly strays: readonly Stray[]
  /** What participants need to have vetted. Undefined outside a network. */
  readonly needs?: readonly PackageNeed[]
}

type Parts = {
  readonly store: Store
  readonly names: Names
  readonly synchronizers: Synchronizers
  readonly hosting: Hosting
  readonly partyKeys: PartyKeyRegister
  readonly selection: Pick<PackageSelection, 'vettingProblems'>
  readonly reselect: Reselection
  readonly reassignments: Reassignments
  readonly participantId: string
}

export type Routing = ReturnType<typeof createRouting>

export function createRouting(parts: Parts) {
  const { store, names, synchronizers, hosting, partyKeys, selection, reselect, reassignments, participantId } = parts

  /** The route, or a refusal as Canton tells it. */
  async function route(request: RoutingRequest): Promise<Route> {
    try {
      return await find(request)
    } catch (error) {
      throw request.isPrepared && isRefusal(error) ? refusals.withTrace(error) : error
    }
  }

  /**
   * What the next selection of packages looks at (TopologyAwareCommandExecutor): the parties of the transaction, what they
   * have vetted, and where its contracts are. The submitters are those whose authority it needs. Returns the best
   * synchronizer, with its packages; undefined outside a network, where another selection selects the same.
   */
  async function selectAgain(
    request: RoutingRequest,
    selecting: Omit<ReselectionRequest, 'synchronizerId' | 'now'> | undefined,
  ): Promise<{ readonly synchronizer: Synchronizer; readonly packages: Selected } | undefined> {
    const connected = synchronizers.list()
    const { actAs, informees, roles, synchronizerId, isExternallySigned = false } = request
    const authorizing =
      roles?.filter((role) => role.isAuthorizing).map(({ party }) => party) ??
      actAs.filter((party) => informees.includes(party))
    const submitters = isExternallySigned ? [] : authorizing
    try {
      const admitted = await admissible({ submitters, informees, isExternallySigned }, connected, {
        hosting,
        partyKeys,
        participantId,
      })
      const wanted = connected.find(({ id }) => id === synchronizerId)
      if (wanted !== undefined && !admitted.includes(wanted)) throw refusals.informeesElsewhere(wanted, admitted)
      const meant = wanted === undefined ? admitted : [wanted]
      const { now } = request
      const selected = selecting && (await reselect({ ...selecting, synchronizerId, now }, meant))
      const inputs = await locate(request, connected)
      const candidates = selected === undefined ? meant : [...selected.keys()]
      const { synchronizer } = await best(candidates, await stakeholdersOf(inputs), request, false)
      return selected && { synchronizer, packages: selected.get(synchronizer)! }
    } catch (error) {
      throw isRefusal(error) ? refusals.withTrace(error) : foundByNode(error)
    }
  }

  async function find(request: RoutingRequest): Promise<Route> {
    const connected = synchronizers.list() // One snapshot for the whole route.
    const prescribed = prescribedBy(request, connected)
    const inputs = request.inputContracts.length === 0 ? [] : await locate(request, connected)
    const { actAs: submitters, informees } = request
    const isExternallySigned = request.isExternallySigned === true
    const concerned = { submitters, informees, isExternallySigned }
    const admitted = await admissible(concerned, connected, { hosting, partyKeys, participantId })
    const vetted = await selection.vettingProblems(request, admitted, request.now)
    const unusable = new Map<Synchronizer, string>()
    for (const [synchronizer, { problem = protocolProblem(synchronizer, request) }] of vetted) {
      if (problem !== undefined) unusable.set(synchronizer, problem)
    }
    const places = new Set(inputs.map(({ location }) => location))
    const [home] = [...places].map(synchronizers.byNumber)
    const isAtHome =
      home === undefined ||
      ((prescribed ?? home) === home && (admitted.includes(home) || (await hostsAll(home, informees, hosting))))
    const isScattered = places.size > 1 || !isAtHome
    const stakeholders = isScattered ? await movableOf(inputs, request) : undefined

    const wanted = prescribed ?? (isScattered ? undefined : home)
    if (wanted !== undefined && !admitted.includes(wanted)) throw refusals.informeesElsewhere(wanted, admitted)
    // Where the contracts are is as good as prescribed.
    const problem = wanted && unusable.get(wanted)
    if (problem !== undefined) throw refusals.invalidPrescribed(wanted!.id, problem)
    const candidates = (wanted === undefined ? admitted : [wanted]).filter((candidate) => !unusable.has(candidate))
    if (candidates.length === 0) throw refusals.noSynchronizer([...unusable])
    const route: Route =
      stakeholders === undefined
        ? { synchronizer: candidates[0]!, strays: [] }
        : await best(candidates, stakeholders, request, prescribed !== undefined)
    const { needs } = vetted.get(route.synchronizer)!
    return needs === undefined ? route : { ...route, needs }
  }

  function prescribedBy(
    { synchronizerId, disclosed, inputContracts }: RoutingRequest,
    connected: readonly Synchronizer[],
  ): Synchronizer | undefined {
    const used = new Map(inputContracts.flatMap((id) => (disclosed.get(id) ? [[id, disclosed.get(id)!]] : [])))
    const [there, ...others] = new Set(used.values())
    if (others.length > 0) throw refusals.disclosedDiffer(used)
    if (there !== undefined && synchronizerId !== '' && there !== synchronizerId) {
      throw refusals.disclosedElsewhere(synchronizerId, used)
    }
    const wanted = synchronizerId || there
    if (wanted === undefined || wanted === '') return undefined
    const found = connected.find(({ id }) => id === wanted)
    if (found === undefined) throw refusals.noPhysicalSynchronizer(wanted)
    return found
  }

  /**
   * Leaves out contracts archived meanwhile, which commit rejects, and disclosed ones that cannot be reached, as if the
   * node did not know them.
   */
  async function locate(
    { inputContracts, disclosedContracts }: RoutingRequest,
    connected: readonly Synchronizer[],
  ): Promise<readonly ContractState[]> {
    const states = await store.contracts.states(inputContracts)
    const isReachable = new Set(connected.map(({ number }) => number))
    const active = states.filter(({ archivedOffset }) => archivedOffset === undefined)
    const unknown = active.filter(
      ({ location, contractId }) => !isReachable.has(location) && !disclosedContracts.has(contractId),
    )
    if (unknown.length > 0) throw refusals.unknownLocations(unknown.map(({ contractId }) => contractId))
    return active.filter(({ location }) => isReachable.has(location))
  }

  /** By input; to move any, an acting or reading party must be a stakeholder of each. */
  async function movableOf(inputs: readonly ContractState[], { actAs, readAs }: RoutingRequest) {
    const stakeholders = await stakeholdersOf(inputs)
    const movers = new Set([...actAs, ...readAs])
    const stuck = inputs.filter((input) => !stakeholders.get(input)!.some((party) => movers.has(party)))
    if (stuck.length > 0) throw refusals.noStakeholder(stuck.map(({ contractId }) => contractId))
    return stakeholders
  }

  async function stakeholdersOf(
    inputs: readonly ContractState[],
  ): Promise<ReadonlyMap<ContractState, readonly string[]>> {
    const numbers = new Set(inputs.flatMap(({ stakeholders }) => numbersIn(stakeholders)))
    const texts = await names.texts([...numbers], store.names)
    return new Map(inputs.map((input) => [input, numbersIn(input.stakeholders).map((number) => texts.get(number)!)]))
  }

  /** Prefers the highest priority, then the fewest moves, then the first id. */
  async function best(
    candidates: readonly Synchronizer[],
    stakeholders: ReadonlyMap<ContractState, readonly string[]>,
    { actAs, readAs }: RoutingRequest,
    isPrescribed: boolean,
  ): Promise<Route> {
    const movers = new Set([...actAs, ...readAs])
    const ranked: Route[] = []
    const problems: string[] = []
    for (const synchronizer of candidates) {
      const strays = await straysFor(synchronizer, stakeholders, movers)
      if (typeof strays === 'string') problems.push(strays)
      else ranked.push({ synchronizer, strays })
    }
    if (ranked.length > 0) return ranked.sort(compareRoutes)[0]!
    throw isPrescribed ? refusals.reassignmentFailed(problems[0]!) : refusals.noneToMoveTo(candidates)
  }

  /** The contracts to move, or why not. */
  async function straysFor(
    target: Synchronizer,
    stakeholders: ReadonlyMap<ContractState, readonly string[]>,
    movers: ReadonlySet<string>,
  ): Promise<Stray[] | string> {
    const strays: Stray[] = []
    for (const [contract, parties] of stakeholders) {
      if (contract.location === target.number) continue
      const absent: string[] = []
      for (const party of parties) if (!(await hosting.of(party)).includes(target.number)) absent.push(party)
      const submitter = parties.find((party) => movers.has(party))
      if (submitter === undefined || absent.length > 0) {
        const from = synchronizers.byNumber(contract.location)
        return refusals.cannotMove({ contractId: contract.contractId, submitter, from, to: target, absent })
      }
      strays.push({ contract, submitter })
    }
    return strays
  }

  /** Moves run concurrently; none is undone when another fails. */
  async function gather(
    { synchronizer, strays }: Route,
    command: Pick<Move, 'userId' | 'commandId' | 'submissionId'>,
    context: SubmissionContext,
  ): Promise<void> {
    const rows = await store.contracts.find(strays.map(({ contract }) => contract.contractId))
    const signatories = new Map(rows.map((row) => [row.contractId, signatoriesIn(row)]))
    const batches = Map.groupBy(strays, ({ submitter, contract: { contractId, location, stakeholders } }) =>
      [submitter, location, stakeholders, signatories.get(contractId)].join(' '),
    )
    const moves = [...batches.values()].map((batch): Move => {
      const { submitter, contract } = batch[0]!
      return {
        userId: command.userId,
        commandId: command.commandId,
        submissionId: command.submissionId,
        submitter,
        contractIds: batch.map((stray) => stray.contract.contractId),
        source: synchronizers.byNumber(contract.location).id,
        target: synchronizer.id,
      }
    })
    const ended = await Promise.allSettled(moves.map((move) => reassignments.move(move, context)))
    const failed = ended.find((one) => one.status === 'rejected')
    if (failed === undefined) return
    throw failed.reason instanceof LedgerError ? refusals.reassignmentFailed(failed.reason.message) : failed.reason
  }

  return { route, selectAgain, gather }
}

/** A refusal of routing itself. */
export function isRefusal(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.details.untraced === true
}

/** Why the transaction needs a newer protocol version than the synchronizer has. */
function protocolProblem(
  synchronizer: Synchronizer,
  { usesKeys, hashingScheme }: Pick<RoutingRequest, 'usesKeys' | 'hashingScheme'>,
): string | undefined {
  if (synchronizer.protocolVersion > 34) return undefined
  if (usesKeys) return refusals.keysUnsupported(synchronizer)
  return hashingScheme === 'V3' ? refusals.schemeUnsupported(synchronizer) : undefined
}

export const usesKeys = ({ created, keyInputs }: Pick<LedgerEffects, 'created' | 'keyInputs'>): boolean =>
  keyInputs.length > 0 || created.some(({ keyHash }) => keyHash !== undefined)

function compareRoutes(a: Route, b: Route): number {
  return (
    b.synchronizer.priority - a.synchronizer.priority ||
    a.strays.length - b.strays.length ||
    comparePreference(a.synchronizer, b.synchronizer)
  )
}
