// Random submissions: submitters, synchronizers, disclosed contracts; rivals for one contract, and repeated commands.
import type { Chance } from './chance.ts'
import { createProposals, type Proposed } from './commands.ts'
import type { Command } from './interpretation.ts'
import type { Model } from './model.ts'
import { amountText, type Iou, quickstart } from './quickstart.ts'
import { locationOf, type Period, type StoredContract, type Submission, users } from './records.ts'

export type Generator = ReturnType<typeof createGenerator>

export function createGenerator(chance: Chance, model: Model) {
  const { proposed, propose } = createProposals(chance, model)
  let count = 0
  const party = () => chance.pick(model.parties)

  /** Disclosed contracts: often the ones that are used, active or not. */
  function disclosedTo(commands: readonly Command[]): StoredContract[] {
    const used = commands.flatMap((command) => {
      const contract = command.kind === 'exercise' ? model.contracts.get(command.contractId) : undefined
      return contract === undefined ? [] : [contract]
    })
    const others = [...model.contracts.values()]
    return [...new Set([...used, ...(others.length > 0 && chance.percent(30) ? [chance.pick(others)] : [])])]
  }

  /** Usually the contract's synchronizer. */
  function placeFor(contract: StoredContract): string {
    const location = locationOf(contract)
    return location !== undefined && chance.percent(80) ? location : chance.pick(model.synchronizers.all).id
  }

  /** Usually a synchronizer that hosts the actors. */
  function prescribedFor(actAs: readonly string[]): string {
    const { all, connected, hostsAll } = model.synchronizers
    const fitting = connected().filter(({ id }) => hostsAll(id, actAs))
    return chance.pick(fitting.length > 0 && chance.percent(85) ? fitting : all).id
  }

  function submissionOf(all: readonly Proposed[]): Submission {
    count += 1
    const commands = all.map(({ command }) => command)
    const right = [...new Set(all.flatMap(({ actors }) => actors))]
    const actAs = chance.percent(90) ? right : chance.percent(50) ? [party()] : [...new Set([...right, party()])]
    const disclosed = chance.percent(20) ? disclosedTo(commands) : []
    return {
      userId: chance.pick(users),
      commandId: `command-${count}`,
      submissionId: `submission-${count}`,
      workflowId: chance.percent(30) ? `workflow-${chance.below(3)}` : '',
      actAs,
      readAs: chance.percent(15) ? chance.some(model.parties, 40) : [],
      commands,
      disclosed,
      disclosedOn: new Map(chance.some(disclosed, 40).map((contract) => [contract.id, placeFor(contract)])),
      synchronizerId: chance.percent(25) ? prescribedFor(actAs) : '',
      period: { kind: 'longest' },
    }
  }

  function period(last: { readonly offset: number; readonly publishedAt: bigint } | undefined): Period {
    const { now, end } = model.state
    const age = last === undefined ? 1_000_000n : now - last.publishedAt
    const near = last?.offset ?? end
    return chance.weighted<() => Period>([
      [25, () => ({ kind: 'longest' })],
      [20, () => ({ kind: 'duration', micros: age + BigInt(chance.below(3) - 1) })],
      [10, () => ({ kind: 'duration', micros: BigInt(chance.below(10)) * 86_400_000_000n })],
      [20, () => ({ kind: 'offset', offset: Math.max(0, near + chance.below(3) - 1) })],
      [10, () => ({ kind: 'offset', offset: chance.below(end + 2) })],
      [2, () => ({ kind: 'offset', offset: -1 })],
    ])()
  }

  return {
    /** One submission of one or more commands. */
    submission: (): Submission =>
      submissionOf(Array.from({ length: chance.percent(15) ? 2 + chance.below(2) : 1 }, proposed)),

    /** A contract for several submissions to compete for. */
    coveted(): StoredContract | undefined {
      const template = chance.weighted([
        [3, 'Iou:Iou'],
        [2, 'Iou:IouProposal'],
        [1, 'Iou:TransferOffer'],
      ])
      const among = [...model.contracts.values()].filter((one) => model.isActive(one) && one.template === template)
      return among.length === 0 ? undefined : chance.pick(among)
    },

    /** Several submissions that want the same contract. */
    rivals({ id, argument, template }: StoredContract): Submission[] {
      const choices = Object.entries(quickstart.templates[template]!.choices).filter(([name]) => name !== 'Iou_Merge')
      return Array.from({ length: 2 + chance.below(5) }, () => {
        const [choice, rules] = chance.pick(choices)
        const choiceArgument = choice === 'Iou_Split' ? { amount: amountText(1n) } : argumentOf(choice)
        const command = { kind: 'exercise', type: template, contractId: id, choice, argument: choiceArgument } as const
        return { ...submissionOf([{ command, actors: [] }]), actAs: rules.controllers(argument as never) }
      })
    },

    /** An earlier command again, with the same or other content. */
    again(earlier: Submission): Submission {
      const { commandId, actAs, readAs } = earlier
      const userId = chance.percent(10) ? chance.pick(users) : earlier.userId
      const isSame = chance.percent(30)
      const last = model.lastChange({ ...earlier, userId })
      const fresh = submissionOf([{ command: propose().command, actors: actAs }])
      const commands = isSame ? earlier.commands : fresh.commands.map((command) => ownedBy(actAs[0]!, command))
      return {
        ...fresh,
        userId,
        commandId,
        actAs,
        readAs,
        commands,
        disclosed: [],
        disclosedOn: new Map(),
        period: period(last),
      }
    },
  }

  function argumentOf(choice: string): object {
    if (choice === 'Iou_Offer') return { newOwner: party() }
    return choice === 'Iou_Show' ? { viewers: [] } : {}
  }
}

/** A valid proposal that the party may make. */
function ownedBy(issuer: string, command: Command): Command {
  if (command.kind !== 'create') return command
  const { iou } = command.argument as { readonly iou: Iou }
  return { ...command, argument: { iou: { ...iou, issuer, amount: amountText(10n ** 10n) } } }
}
