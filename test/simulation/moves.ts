// Random reassignments, most of which succeed: from where contracts are, to where they are expected.
import type { Chance } from './chance.ts'
import type { Model } from './model.ts'
import {
  locationOf,
  type Reassignment,
  type ReassignmentCommand,
  type ReassignmentSubmission,
  type StoredContract,
  users,
} from './records.ts'

export type MoveGenerator = ReturnType<typeof createMoveGenerator>

const unknownContract = `00${'cd'.repeat(32)}ca1212${'20'.padEnd(66, 'd')}`
const unknownReassignment = `001220${'ef'.repeat(32)}`
const batchMax = 4

export function createMoveGenerator(chance: Chance, model: Model) {
  const { synchronizers, reassigning } = model
  let count = 0

  function submissionOf(submitter: string, reassignments: readonly ReassignmentCommand[]): ReassignmentSubmission {
    count += 1
    return {
      userId: chance.pick(users),
      commandId: `move-${count}`,
      submissionId: `moving-${count}`,
      workflowId: chance.percent(30) ? `workflow-${chance.below(3)}` : '',
      submitter,
      reassignments,
    }
  }

  const somewhere = () => chance.pick(synchronizers.all).id

  /** Usually active, and on a connected synchronizer. */
  function someContract(): StoredContract | undefined {
    const all = [...model.contracts.values()]
    const isStrange = chance.percent(8)
    const wanted = all.filter((one) => isStrange || (model.isActive(one) && locationOf(one) !== undefined))
    return wanted.length === 0 ? undefined : chance.pick(wanted)
  }

  function unassign(contract = someContract()): ReassignmentSubmission {
    if (contract === undefined) return submissionOf(chance.pick(model.parties), [])
    const source = chance.percent(94) ? (locationOf(contract) ?? somewhere()) : somewhere()
    const others = synchronizers.all.filter(({ id }) => id !== source).map(({ id }) => id)
    const fitting = others.filter((id) => synchronizers.hostsAll(id, contract.stakeholders))
    const target =
      fitting.length > 0 && chance.percent(80)
        ? chance.pick(fitting)
        : chance.percent(90)
          ? chance.pick(others)
          : source
    const submitter = chance.percent(92) ? chance.pick(contract.stakeholders) : chance.pick(model.parties)
    const together = chance.percent(35) ? companions(contract, source) : [contract]
    const commands = together.map(({ id: contractId }) => ({ kind: 'unassign', contractId, source, target }) as const)
    return submissionOf(submitter, chance.percent(3) ? spoiled(commands, somewhere()) : commands)
  }

  /** Contracts, usually with the same stakeholders; one may occur twice. */
  function companions(contract: StoredContract, source: string): StoredContract[] {
    const isStrange = chance.percent(12)
    const keyOf = ({ stakeholders, signatories }: StoredContract) => JSON.stringify([stakeholders, signatories])
    const alike = [...model.contracts.values()].filter(
      (one) =>
        one !== contract &&
        model.isActive(one) &&
        locationOf(one) === source &&
        (isStrange || keyOf(one) === keyOf(contract)),
    )
    const all = [contract, ...chance.some(alike, 60).slice(0, batchMax - 1)]
    return chance.percent(8) ? [...all, contract] : all
  }

  function spoiled(commands: readonly ReassignmentCommand[], elsewhere: string): ReassignmentCommand[] {
    const [first] = commands as [ReassignmentCommand]
    const { source, target } = first
    return chance.pick<() => ReassignmentCommand[]>([
      () => [],
      () => [...commands, { kind: 'assign', reassignmentId: unknownReassignment, source, target }],
      () => [...commands, { ...first, target: elsewhere }],
      () => [...commands, { kind: 'unassign', contractId: unknownContract, source, target }],
    ])()
  }

  /** Usually one in transit, by the party that unassigned it. */
  function assign(reassignment = someReassignment()): ReassignmentSubmission {
    if (reassignment === undefined) {
      const [source, target] = [somewhere(), somewhere()]
      const command = { kind: 'assign', reassignmentId: unknownReassignment, source, target } as const
      return submissionOf(chance.pick(model.parties), [command])
    }
    const { id: reassignmentId, source, submitter, contracts } = reassignment
    const target = chance.percent(96) ? reassignment.target : somewhere()
    const others = contracts[0]!.stakeholders.filter((party) => party !== submitter)
    const by = chance.weighted([
      [55, submitter],
      [37, others.length > 0 ? chance.pick(others) : submitter],
      [8, chance.pick(model.parties)],
    ])
    return submissionOf(by, [{ kind: 'assign', reassignmentId, source, target }])
  }

  function someReassignment(): Reassignment | undefined {
    const pending = reassigning.inTransit()
    if (pending.length > 0 && chance.percent(85)) return chance.pick(pending)
    const all = [...reassigning.all.values()]
    return all.length === 0 || chance.percent(10) ? undefined : chance.pick(all)
  }

  return {
    unassign,
    assign,

    /** An unassignment or an assignment; the more are in transit, the more likely an assignment. */
    reassignment: (): ReassignmentSubmission =>
      chance.percent(35 + Math.min(30, reassigning.inTransit().length * 8)) ? assign() : unassign(),

    /** Several that want to move the same contract. */
    rivals(contract: StoredContract): ReassignmentSubmission[] {
      const pending = reassigning.inTransit().find(({ contracts }) => contracts.includes(contract))
      return Array.from({ length: 1 + chance.below(3) }, () => (pending ? assign(pending) : unassign(contract)))
    },
  }
}
