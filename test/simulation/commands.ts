// Random commands, most of which succeed: usually the submitter is a party that may use the contract.
import type { Chance } from './chance.ts'
import type { Choice, Command } from './interpretation.ts'
import type { Model } from './model.ts'
import { amountOf, amountText, holding, type Iou, quickstart } from './quickstart.ts'
import type { StoredContract } from './records.ts'

/** A command, and the parties that must act for it to succeed. */
export type Proposed = { readonly command: Command; readonly actors: readonly string[] }

const currencies = ['EUR', 'USD'] as const
const templates = Object.keys(quickstart.templates)
const unknownContract = `00${'ab'.repeat(32)}ca1212${'20'.padEnd(66, 'c')}`
const largestAmount = 10n ** 38n - 1n

export function createProposals(chance: Chance, model: Model) {
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

  /** Usually an active contract of the template. */
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

  return {
    proposed: (): Proposed => chance.weighted(kinds)() ?? propose(),
    /** An IOU, which can always be proposed. */
    propose,
  }
}
