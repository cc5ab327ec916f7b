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

/** `known` are the contracts about which the node holds anything. May return the code of a refusal. */
export function routeOf(
  submission: Submission,
  { inputs, informees }: Transaction,
  synchronizers: Synchronizers,
  known: (contractId: string) => StoredContract | undefined,
): Route | string {
  const { actAs, readAs, disclosed } = submission
  const { isConnected, hostsAll } = synchronizers
  const prescribed = prescribedBy(submission, inputs)
  if (prescribed === 'differ') return 'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH'
  if (prescribed === 'elsewhere') return 'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH'
  if (prescribed !== undefined && !isConnected(prescribed)) return 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'

  const contracts: StoredContract[] = []
  for (const id of inputs) {
    const contract = known(id)
    if (contract === undefined || contract.archivedOffset !== undefined) continue // Commit detects this.
    const location = locationOf(contract)
    if (location !== undefined && isConnected(location)) contracts.push(contract)
    else if (!disclosed.some((one) => one.id === id)) return 'UNKNOWN_CONTRACT_SYNCHRONIZERS'
  }

  const admitted = admissible(actAs, informees, synchronizers)
  if (typeof admitted === 'string') return admitted
  const places = new Set(contracts.map((contract) => locationOf(contract)!))
  const [only] = places
  const isScattered =
    places.size > 1 ||
    (only !== undefined && prescribed !== undefined && prescribed !== only) ||
    (only !== undefined && !hostsAll(only, informees))

  const readers = new Set([...actAs, ...readAs])
  const isSeen = ({ stakeholders }: StoredContract) => stakeholders.some((party) => readers.has(party))
  const canGatherOn = (target: string) =>
    contracts.every((one) => locationOf(one) === target || (isSeen(one) && hostsAll(target, one.stakeholders)))
  if (isScattered && !contracts.every(isSeen)) {
    // There are other informees then, for whom packages are selected again; disclosed places do not count in that.
    const { synchronizerId } = submission
    if (synchronizerId !== '' && !admitted.some(({ id }) => id === synchronizerId)) {
      return 'INVALID_PRESCRIBED_SYNCHRONIZER_ID'
    }
    const asked = synchronizerId === '' ? admitted.map(({ id }) => id) : [synchronizerId]
    return asked.some(canGatherOn) ? 'SUBMITTER_ALWAYS_STAKEHOLDER' : 'NO_SYNCHRONIZER_FOR_SUBMISSION'
  }
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
  const reachable = candidates.filter(canGatherOn)
  if (reachable.length === 0) {
    const isRanked = submission.synchronizerId !== '' && [...informees].some((party) => party !== actAs[0])
    return prescribed === undefined || isRanked
      ? 'NO_SYNCHRONIZER_FOR_SUBMISSION'
      : 'AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED'
  }
  return best(
    reachable.map((target) => ({ target, batches: batchesFor(target, contracts, readers) })),
    synchronizers,
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
