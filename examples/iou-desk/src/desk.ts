// A desk for IOUs: a bank issues them, their owners pay with them.
import { Iou, IouProposal, TransferOffer } from './generated/quickstart/Iou.js'
import type { Ledger } from './ledger.ts'
import { Refused } from './retries.ts'

export class NotEnough extends Error {}

/** What the ledger answers if somebody else has used the contract meanwhile. */
const stale: ReadonlySet<string> = new Set([
  'CONTRACT_NOT_FOUND',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
])
const choicesMax = 10

export function openDesk(ledger: Ledger) {
  async function ious(owner: string, currency: string) {
    const all = await ledger.contracts(owner, Iou)
    return all.filter(({ createArgument: iou }) => iou.owner === owner && iou.currency === currency)
  }

  /** An IOU over just this amount, split off a larger one. */
  async function change(owner: string, amount: string, currency: string) {
    const wanted = unitsOf(amount)
    const enough = (await ious(owner, currency)).find((iou) => unitsOf(iou.createArgument.amount) >= wanted)
    if (enough === undefined) throw new NotEnough(`no IOU over ${amount} ${currency}`)
    if (unitsOf(enough.createArgument.amount) === wanted) return enough.contractId
    const { split } = await ledger.exercise(owner, Iou, enough.contractId, 'Iou_Split', { amount })
    return split
  }

  return {
    /** The owner has to accept it. */
    issue(issuer: string, owner: string, amount: string, currency: string) {
      return ledger.create(issuer, IouProposal, { iou: { issuer, owner, amount, currency, observers: [] } })
    },

    /** Offers an amount to somebody. If another payment takes the IOU first, it chooses again. */
    async pay(owner: string, newOwner: string, amount: string, currency: string) {
      for (let round = 1; ; round += 1) {
        try {
          const iou = await change(owner, amount, currency)
          return await ledger.exercise(owner, Iou, iou, 'Iou_Offer', { newOwner })
        } catch (error) {
          if (!(error instanceof Refused) || !stale.has(error.code) || round === choicesMax) throw error
        }
      }
    },

    /** Accepts everything that is proposed and offered to a party. */
    async acceptAll(party: string): Promise<void> {
      for (const { contractId, createArgument } of await ledger.contracts(party, IouProposal)) {
        if (createArgument.iou.owner !== party) continue
        await ledger.exercise(party, IouProposal, contractId, 'IouProposal_Accept', {})
      }
      for (const { contractId, createArgument } of await ledger.contracts(party, TransferOffer)) {
        if (createArgument.newOwner !== party) continue
        await ledger.exercise(party, TransferOffer, contractId, 'TransferOffer_Accept', {})
      }
    },

    /** Takes back what nobody has accepted for so long. */
    async withdrawOlderThan(owner: string, ageMs: number): Promise<number> {
      const beforeMs = (await ledger.nowMs()) - ageMs
      const offers = await ledger.contracts(owner, TransferOffer)
      const old = offers.filter((offer) => {
        return offer.createArgument.iou.owner === owner && Date.parse(offer.createdAt) <= beforeMs
      })
      for (const { contractId } of old) {
        await ledger.exercise(owner, TransferOffer, contractId, 'TransferOffer_Withdraw', {})
      }
      return old.length
    },

    async balance(owner: string, currency: string): Promise<string> {
      const units = (await ious(owner, currency)).map(({ createArgument }) => unitsOf(createArgument.amount))
      return textOf(units.reduce((sum, one) => sum + one, 0n))
    },
  }
}

/** Daml's Numeric has ten decimals here; a JavaScript number would lose some. */
const decimals = 10

function unitsOf(amount: string): bigint {
  const [whole = '', part = ''] = amount.split('.')
  return BigInt(whole + part.padEnd(decimals, '0'))
}

function textOf(units: bigint): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const part = digits.slice(-decimals).replace(/0+$/, '')
  return part === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${part}`
}
