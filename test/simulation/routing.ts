// Which synchronizer a transaction should go to, and which contracts must be moved there first.
import type { Transaction } from './interpretation.ts'
import { locationOf, type StoredContract, type Submission } from './records.ts'
import type { Synchronizer, Synchronizers } from './synchronizers.ts'

/** Contracts that are moved together. */
export type Batch = {
  readonly source: string
  readonly contracts: readonly StoredContract[]
  /** Any one of them may be the submitter of the move. */
  readonly movers: readonly string[]
}

export type Route = { readonly target: string; readonly batches: readonly Batch[] }

type Asked = {
  readonly submission: Submission
  readonly transaction: Transaction
  readonly synchronizers: Synchronizers
  /** The contracts about which the node holds anything. */
  known(contractId: string): StoredContract | undefined
}

/** May return the code of a refusal. */
export function routeOf(asked: Asked): Route | string {
  const { submission, transaction } = asked
  const route = firstRoute(asked)
  const hasOthers = [...transaction.informees].some((party) => party !== submission.actAs[0])
  return typeof route === 'string' && hasOthers && !route.endsWith('MISMATCH')
    ? (rankingProblem(asked) ?? route)
    : route
}

function firstRoute(asked: Asked): Route | string {
  const { submission, transaction, synchronizers } = asked
  const { actAs } = submission
  const { inputs, informees } = transaction
  const { isConnected, hostsAll } = synchronizers
  const prescribed = prescribedBy(submission, inputs)
  if (prescribed === 'differ') return 'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH'
  if (prescribed === 'elsewhere') return 'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH'
  if (prescribed !== undefined && !isConnected(prescribed)) return 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'

  const contracts = contractsOf(asked)
  if (contracts === undefined) return 'UNKNOWN_CONTRACT_SYNCHRONIZERS'
  const admitted = admissible(actAs, informees, synchronizers)
  if (typeof admitted === 'string') return admitted
  const places = new Set(contracts.map((contract) => locationOf(contract)!))
  const [only] = places
  const isScattered =
    places.size > 1 ||
    (only !== undefined && prescribed !== undefined && prescribed !== only) ||
    (only !== undefined && !hostsAll(only, informees))
  if (isScattered && !contracts.every((one) => isSeen(one, submission))) return 'SUBMITTER_ALWAYS_STAKEHOLDER'
  if (prescribed !== undefined && !admitted.some(({ id }) => id === prescribed)) {
    return 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'
  }
  if (!isScattered) {
    const target =
      prescribed ??
      only ??
      best(
        admitted.map(({ id }) => ({ target: id, batches: [] })),
        synchronizers,
      ).target
    return admitted.some(({ id }) => id === target) ? { target, batches: [] } : 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'
  }
  const candidates = prescribed === undefined ? admitted.map(({ id }) => id) : [prescribed]
  const reachable = candidates.filter((target) => canGatherOn(target, contracts, asked))
  if (reachable.length === 0) {
    return prescribed === undefined ? 'NO_SYNCHRONIZER_FOR_SUBMISSION' : 'AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED'
  }
  return best(
    reachable.map((target) => ({ target, batches: batchesFor(target, contracts, readersOf(submission)) })),
    synchronizers,
  )
}

/**
 * After a refusal, packages are selected again for all informees, and synchronizers ranked for that: why there is none.
 * Where disclosed contracts should be does not count, nor do submitters that are no informees.
 */
function rankingProblem(asked: Asked): string | undefined {
  const { submission, transaction, synchronizers } = asked
  const { actAs, synchronizerId } = submission
  const { informees } = transaction
  const submitters = actAs.filter((party) => informees.has(party))
  const admitted = admissible(submitters, informees, synchronizers)
  if (typeof admitted === 'string') return admitted
  if (synchronizerId !== '' && !admitted.some(({ id }) => id === synchronizerId)) {
    return 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'
  }
  const contracts = contractsOf(asked)
  if (contracts === undefined) return 'UNKNOWN_CONTRACT_SYNCHRONIZERS'
  const candidates = synchronizerId === '' ? admitted.map(({ id }) => id) : [synchronizerId]
  const isReachable = candidates.some((target) => canGatherOn(target, contracts, asked))
  return isReachable ? undefined : 'NO_SYNCHRONIZER_FOR_SUBMISSION'
}

/** Those that the transaction uses. Undefined if one is where the node cannot reach it, unless it is disclosed. */
function contractsOf({ submission, transaction, synchronizers, known }: Asked): StoredContract[] | undefined {
  const contracts: StoredContract[] = []
  for (const id of transaction.inputs) {
    const contract = known(id)
    if (contract === undefined || contract.archivedOffset !== undefined) continue // Commit detects this.
    const location = locationOf(contract)
    if (location !== undefined && synchronizers.isConnected(location)) contracts.push(contract)
    else if (!submission.disclosed.some((one) => one.id === id)) return undefined
  }
  return contracts
}

const readersOf = ({ actAs, readAs }: Submission): ReadonlySet<string> => new Set([...actAs, ...readAs])

function isSeen({ stakeholders }: StoredContract, submission: Submission): boolean {
  const readers = readersOf(submission)
  return stakeholders.some((party) => readers.has(party))
}

function canGatherOn(
  target: string,
  contracts: readonly StoredContract[],
  { submission, synchronizers }: Asked,
): boolean {
  return contracts.every(
    (one) =>
      locationOf(one) === target || (isSeen(one, submission) && synchronizers.hostsAll(target, one.stakeholders)),
  )
}

function prescribedBy({ synchronizerId, disclosedOn }: Submission, inputs: ReadonlySet<string>) {
  const named = new Set([...inputs].flatMap((id) => disclosedOn.get(id) ?? []))
  const [first] = named
  if (named.size > 1) return 'differ'
  if (first !== undefined && synchronizerId !== '' && first !== synchronizerId) return 'elsewhere'
  return synchronizerId || first
}

function admissible(
  submitters: readonly string[],
  informees: ReadonlySet<string>,
  { connected, isHosted, hostsAll }: Synchronizers,
): Synchronizer[] | string {
  const isKnown = (party: string) => connected().some(({ id }) => isHosted(party, id))
  if (!submitters.every(isKnown)) return 'UNKNOWN_SUBMITTERS'
  if (![...informees].every(isKnown)) return 'UNKNOWN_INFORMEES'
  const forSubmitters = connected().filter(({ id }) => hostsAll(id, submitters))
  if (forSubmitters.length === 0) return 'SUBMITTERS_NOT_ACTIVE'
  const forInformees = connected().filter(({ id }) => hostsAll(id, informees))
  if (forInformees.length === 0) return 'INFORMEES_NOT_ACTIVE'
  const common = forSubmitters.filter((one) => forInformees.includes(one))
  return common.length === 0 ? 'NO_COMMON_SYNCHRONIZER' : common
}

function batchesFor(target: string, contracts: readonly StoredContract[], readers: ReadonlySet<string>): Batch[] {
  const strays = contracts.filter((one) => locationOf(one) !== target)
  const alike = Map.groupBy(strays, (one) => JSON.stringify([locationOf(one), one.signatories, one.stakeholders]))
  return [...alike.values()].map((batch) => ({
    source: locationOf(batch[0]!)!,
    contracts: batch,
    movers: batch[0]!.stakeholders.filter((party) => readers.has(party)),
  }))
}

/** The highest priority; then the fewest moves; then the smallest id. */
function best(routes: readonly Route[], { byId }: Synchronizers): Route {
  const moves = ({ batches }: Route) => batches.reduce((sum, { contracts }) => sum + contracts.length, 0)
  return routes.toSorted(
    (a, b) =>
      byId(b.target).priority - byId(a.target).priority || moves(a) - moves(b) || (a.target < b.target ? -1 : 1),
  )[0]!
}
