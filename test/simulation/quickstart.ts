// The templates of packages/quickstart, rewritten by hand as a reference for the node.
import { type Choice, type Choices, type Package, Refused, type Template } from './interpretation.ts'

export type Iou = {
  readonly issuer: string
  readonly owner: string
  readonly amount: string
  readonly currency: string
  readonly observers: readonly string[]
}
type IouProposal = { readonly iou: Iou }
type TransferOffer = { readonly iou: Iou; readonly newOwner: string }
type Wallet = { readonly owner: string }

const scale = 10
const largest = 10n ** 38n - 1n

/** Throws like Daml's arithmetic if there are too many digits. */
export function amountText(units: bigint): string {
  const size = units < 0n ? -units : units
  if (size > largest) throw new Refused('DAML_FAILURE')
  const digits = size.toString().padStart(scale + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

export function amountOf(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.') as [string, string?]
  const size = BigInt(whole + fraction.padEnd(scale, '0'))
  return text.startsWith('-') ? -size : size
}

const iou = 'Iou:Iou'
const nobody = () => []
const parties = ({ issuer, owner }: Iou) => [issuer, owner]

function choice<Argument, ChoiceArgument = object>(
  rules: Omit<Choice<Argument, ChoiceArgument>, 'isConsuming'> & { readonly isConsuming?: boolean },
): Choice<Argument, never> {
  return { isConsuming: true, ...rules }
}

const archiveBy = <Argument>(controllers: (argument: Argument) => string[]) =>
  choice<Argument>({ controllers, run: () => ({}) })

/** The view of an IOU as a holding. */
export const viewOf = ({ issuer, owner, amount, currency }: Iou) => ({ issuer, owner, amount, currency })

const byOwner = ({ owner }: Iou) => [owner]

const iouTemplate: Template<Iou> = {
  check({ amount }) {
    if (amountOf(amount) <= 0n) throw new Refused('DAML_FAILURE')
  },
  signatories: parties,
  observers: ({ observers }) => [...observers],
  choices: {
    Iou_Split: choice<Iou, { amount: string }>({
      controllers: byOwner,
      run({ create }, whole, { amount }) {
        if (amountOf(amount) >= amountOf(whole.amount)) throw new Refused('DAML_FAILURE')
        const split = create(iou, { ...whole, amount })
        const left = amountText(amountOf(whole.amount) - amountOf(amount))
        return { split, rest: create(iou, { ...whole, amount: left }) }
      },
    }),
    Iou_Merge: choice<Iou, { other: string }>({
      controllers: byOwner,
      run({ fetch, exercise, create }, first, { other }) {
        const second = fetch(iou, other).argument as Iou
        const isAlike = (['issuer', 'owner', 'currency'] as const).every((field) => first[field] === second[field])
        if (!isAlike) throw new Refused('INTERPRETATION_USER_ERROR')
        exercise(iou, other, 'Archive', {})
        return create(iou, { ...first, amount: amountText(amountOf(first.amount) + amountOf(second.amount)) })
      },
    }),
    Iou_Offer: choice<Iou, { newOwner: string }>({
      controllers: byOwner,
      observers: (_iou, { newOwner }) => [newOwner],
      run: ({ create }, offered, { newOwner }) => create('Iou:TransferOffer', { iou: offered, newOwner }),
    }),
    Iou_Show: choice<Iou, { viewers: string[] }>({
      isConsuming: false,
      controllers: byOwner,
      observers: (_iou, { viewers }) => viewers,
      run: (_effects, shown) => shown,
    }),
    Archive: archiveBy(parties),
  },
}

const proposalTemplate: Template<IouProposal> = {
  signatories: (proposal) => [proposal.iou.issuer],
  observers: (proposal) => [proposal.iou.owner],
  choices: {
    IouProposal_Accept: choice<IouProposal>({
      controllers: (proposal) => [proposal.iou.owner],
      run: ({ create }, proposal) => create(iou, proposal.iou),
    }),
    IouProposal_Reject: archiveBy((proposal: IouProposal) => [proposal.iou.owner]),
    Archive: archiveBy((proposal: IouProposal) => [proposal.iou.issuer]),
  },
}

const offerTemplate: Template<TransferOffer> = {
  signatories: (offer) => parties(offer.iou),
  observers: (offer) => [offer.newOwner, ...offer.iou.observers],
  choices: {
    TransferOffer_Accept: choice<TransferOffer>({
      controllers: (offer) => [offer.newOwner],
      run: ({ create }, offer) => create(iou, { ...offer.iou, owner: offer.newOwner }),
    }),
    TransferOffer_Reject: choice<TransferOffer>({
      controllers: (offer) => [offer.newOwner],
      run: ({ create }, offer) => create(iou, offer.iou),
    }),
    TransferOffer_Withdraw: choice<TransferOffer>({
      controllers: (offer) => [offer.iou.owner],
      run: ({ create }, offer) => create(iou, offer.iou),
    }),
    Archive: archiveBy((offer: TransferOffer) => parties(offer.iou)),
  },
}

const walletTemplate: Template<Wallet> = {
  signatories: ({ owner }) => [owner],
  observers: nobody,
  choices: {
    Wallet_Issue: choice<Wallet, { amount: string; currency: string }>({
      isConsuming: false,
      controllers: ({ owner }) => [owner],
      run: ({ create }, { owner }, { amount, currency }) =>
        create(iou, { issuer: owner, owner, amount, currency, observers: [] }),
    }),
    Wallet_Total: choice<Wallet, { holdings: string[]; currency: string }>({
      isConsuming: false,
      controllers: ({ owner }) => [owner],
      run({ fetch }, _wallet, { holdings, currency }) {
        const found = holdings.map((id) => fetch(holding, id).argument as Iou)
        const amounts = found.map((one) => (one.currency === currency ? amountOf(one.amount) : 0n))
        // Summed from last to first, as the package does, because an overflow may depend on the order.
        return amounts.reduceRight((sum, amount) => amountText(amountOf(sum) + amount), amountText(0n))
      },
    }),
    Archive: archiveBy(({ owner }: Wallet) => [owner]),
  },
}

export const holding = 'Holding:Holding'

const holdingChoices: Choices<Iou> = {
  Holding_Redeem: choice<Iou>({
    controllers: byOwner,
    observers: ({ issuer }) => [issuer],
    run: (_effects, redeemed) => viewOf(redeemed),
  }),
  Archive: archiveBy(parties),
}

export const quickstart: Package = {
  templates: {
    [iou]: iouTemplate,
    'Iou:IouProposal': proposalTemplate,
    'Iou:TransferOffer': offerTemplate,
    'Wallet:Wallet': walletTemplate,
  },
  interfaces: { [holding]: { of: [iou], choices: holdingChoices } },
}
