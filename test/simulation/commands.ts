// Random commands, most of which succeed: whoever may do something with a contract usually is the one who tries.
import type { Chance } from './chance.ts'
import type { Choice, Command } from './interpretation.ts'
import type { Model } from './model.ts'
import { amountOf, amountText, holding, type Iou, quickstart } from './quickstart.ts'
import { locationOf, type Period, type StoredContract, type Submission, users } from './records.ts'

/** A command, and who has to act for it to succeed. */
type Proposed = { readonly command: Command; readonly actors: readonly string[] }

export type Generator = ReturnType<typeof createGenerator>

const currencies = ['EUR', 'USD'] as const
const templates = Object.keys(quickstart.templates)
const unknownContract = `00${'ab'.repeat(32)}ca1212${'20'.padEnd(66, 'c')}`
const largestAmount = 10n ** 38n - 1n

export function createGenerator(chance: Chance, model: Model) {
  let count = 0
  const party = () => chance.pick(model.parties)

  function amount(): string {
    return chance.weighted([
      [90, () => amountText(BigInt(1 + chance.below(1_000_000)) * 10n ** BigInt(chance.below(12)))],
      [4, () => amountText(BigInt(-chance.below(3)))],
      [3, () => amountText(largestAmount)],
      [2, () => chance.pick(['1.00000000001', '1e3', 'x', '99999999999999999999999999999.0000000000'])],
    ])()
  }

  function someIou(issuer: string): Iou {
    const owner = party()
    return {
      issuer,
      owner,
      amount: amount(),
      currency: chance.pick(currencies),
      observers: chance.some(model.parties, 15),
    }
  }

  /** Usually active and of the template. */
  function contractOf(template: string): StoredContract | undefined {
    const isStrange = chance.percent(4)
    const all = [...model.contracts.values()].filter((one) => isStrange || one.template === template)
    const wanted = all.filter((one) => model.isActive(one) !== chance.percent(6))
    return wanted.length === 0 ? undefined : chance.pick(wanted)
  }

  function exercise(
    type: string,
    choice: string,
    argument: (contract: StoredContract) => unknown,
  ): Proposed | undefined {
    const template = type === holding ? 'Iou:Iou' : type
    const contract = contractOf(template)
    if (contract === undefined) return undefined
    const rules = (quickstart.interfaces[type]?.choices ?? quickstart.templates[type]!.choices)[choice]!
    const actors =
      contract.template === template ? (rules as Choice<unknown, unknown>).controllers(contract.argument) : [party()]
    const contractId = chance.percent(1) ? unknownContract : contract.id
    return { command: { kind: 'exercise', type, contractId, choice, argument: argument(contract) }, actors }
  }

  function merge(): Proposed | undefined {
    return exercise('Iou:Iou', 'Iou_Merge', (contract) => {
      const one = contract.argument as Iou
      const alike = [...model.contracts.values()].filter(
        ({ id, template, argument }) =>
          template === 'Iou:Iou' &&
          id !== contract.id &&
          (['issuer', 'owner', 'currency'] as const).every((field) => (argument as Iou)[field] === one[field]),
      )
      const likely = alike.filter(model.isActive)
      const other = likely.length > 0 && chance.percent(85) ? chance.pick(likely) : contractOf('Iou:Iou')
      return { other: (chance.percent(4) ? contract : (other ?? contract)).id }
    })
  }

  function split(): Proposed | undefined {
    return exercise('Iou:Iou', 'Iou_Split', ({ argument }) => {
      const whole = (argument as Partial<Iou>).amount
      const isFitting = whole !== undefined && chance.percent(80)
      return { amount: isFitting ? amountText((amountOf(whole) * BigInt(1 + chance.below(9))) / 10n) : amount() }
    })
  }

  function total(): Proposed {
    const owner = party()
    const holdings = [...model.contracts.values()].filter(
      (one) => model.isActive(one) && one.template === 'Iou:Iou' && one.stakeholders.includes(owner),
    )
    const mine = chance.some(holdings, 40).slice(0, 5)
    const stray = chance.percent(15) ? contractOf(chance.pick(templates)) : undefined
    const argument = {
      holdings: [...mine, ...(stray ? [stray] : [])].map(({ id }) => id),
      currency: chance.pick(currencies),
    }
    return inPassing('Wallet:Wallet', { owner }, [owner], 'Wallet_Total', argument)
  }

  function inPassing(
    template: string,
    argument: unknown,
    actors: readonly string[],
    choice: string,
    choiceArgument: unknown,
  ): Proposed {
    return { command: { kind: 'create-and-exercise', template, argument, choice, choiceArgument }, actors }
  }

  const plain = () => ({})
  const kinds: readonly (readonly [weight: number, propose: () => Proposed | undefined])[] = [
    [14, propose],
    [16, () => exercise('Iou:IouProposal', 'IouProposal_Accept', plain)],
    [3, () => exercise('Iou:IouProposal', 'IouProposal_Reject', plain)],
    [2, () => exercise('Iou:IouProposal', 'Archive', plain)],
    [5, issueTogether],
    [9, split],
    [9, merge],
    [9, () => exercise('Iou:Iou', 'Iou_Offer', () => ({ newOwner: party() }))],
    [6, () => exercise('Iou:Iou', 'Iou_Show', () => ({ viewers: viewers() }))],
    [3, () => exercise('Iou:Iou', 'Archive', plain)],
    [4, () => exercise(holding, 'Holding_Redeem', plain)],
    [2, () => exercise(holding, 'Archive', plain)],
    [6, () => exercise('Iou:TransferOffer', 'TransferOffer_Accept', plain)],
    [3, () => exercise('Iou:TransferOffer', 'TransferOffer_Withdraw', plain)],
    [2, () => exercise('Iou:TransferOffer', 'TransferOffer_Reject', plain)],
    [1, () => exercise('Iou:TransferOffer', 'Archive', plain)],
    [5, issue],
    [5, total],
    [2, () => createWallet()],
    [2, () => exercise('Wallet:Wallet', 'Archive', plain)],
    [4, acceptInPassing],
    [2, archiveInPassing],
  ]

  function propose(): Proposed {
    const issuer = party()
    const command = { kind: 'create', template: 'Iou:IouProposal', argument: { iou: someIou(issuer) } } as const
    return { command, actors: [issuer] }
  }

  function issueTogether(): Proposed {
    const argument = someIou(party())
    return { command: { kind: 'create', template: 'Iou:Iou', argument }, actors: [argument.issuer, argument.owner] }
  }

  function issue(): Proposed {
    const owner = party()
    const argument = { amount: amount(), currency: chance.pick(currencies) }
    return inPassing('Wallet:Wallet', { owner }, [owner], 'Wallet_Issue', argument)
  }

  function createWallet(): Proposed {
    const owner = party()
    return { command: { kind: 'create', template: 'Wallet:Wallet', argument: { owner } }, actors: [owner] }
  }

  function acceptInPassing(): Proposed {
    const iou = someIou(party())
    return inPassing('Iou:IouProposal', { iou }, [iou.issuer, iou.owner], 'IouProposal_Accept', {})
  }

  function archiveInPassing(): Proposed {
    const iou = someIou(party())
    return inPassing('Iou:Iou', iou, [iou.issuer, iou.owner], 'Archive', {})
  }

  function viewers(): string[] {
    const [first] = model.parties
    const stranger = first!.replace(/^[^:]+/, 'stranger')
    return [...chance.some(model.parties, 40), ...(chance.percent(4) ? [stranger] : [])]
  }

  function proposed(): Proposed {
    return chance.weighted(kinds)() ?? propose()
  }

  /** Contracts that somebody gives along: often the ones that are used, active or not. */
  function disclosedTo(commands: readonly Command[]): StoredContract[] {
    const used = commands.flatMap((command) => {
      const contract = command.kind === 'exercise' ? model.contracts.get(command.contractId) : undefined
      return contract === undefined ? [] : [contract]
    })
    const others = [...model.contracts.values()]
    return [...new Set([...used, ...(others.length > 0 && chance.percent(30) ? [chance.pick(others)] : [])])]
  }

  /** Usually where the contract is. */
  function placeFor(contract: StoredContract): string {
    const location = locationOf(contract)
    return location !== undefined && chance.percent(80) ? location : chance.pick(model.synchronizers.all).id
  }

  /** Usually one where they can act. */
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
    /** One submission of one or several commands. */
    submission: (): Submission =>
      submissionOf(Array.from({ length: chance.percent(15) ? 2 + chance.below(2) : 1 }, proposed)),

    /** A contract that several want. */
    coveted(): StoredContract | undefined {
      const template = chance.weighted([
        [3, 'Iou:Iou'],
        [2, 'Iou:IouProposal'],
        [1, 'Iou:TransferOffer'],
      ])
      const among = [...model.contracts.values()].filter((one) => model.isActive(one) && one.template === template)
      return among.length === 0 ? undefined : chance.pick(among)
    },

    /** Several that want the same contract. */
    rivals({ id, argument, template }: StoredContract): Submission[] {
      const choices = Object.entries(quickstart.templates[template]!.choices).filter(([name]) => name !== 'Iou_Merge')
      return Array.from({ length: 2 + chance.below(5) }, () => {
        const [choice, rules] = chance.pick(choices)
        const choiceArgument = choice === 'Iou_Split' ? { amount: amountText(1n) } : argumentOf(choice)
        const command = { kind: 'exercise', type: template, contractId: id, choice, argument: choiceArgument } as const
        return { ...submissionOf([{ command, actors: [] }]), actAs: rules.controllers(argument as never) }
      })
    },

    /** An earlier command again, with what it did or with something else in it. */
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

/** A proposal that the party may make, with nothing wrong in it. */
function ownedBy(issuer: string, command: Command): Command {
  if (command.kind !== 'create') return command
  const { iou } = command.argument as { readonly iou: Iou }
  return { ...command, argument: { iou: { ...iou, issuer, amount: amountText(10n ** 10n) } } }
}
