// What a wallet has, by the views of the token standard: holdings of any instrument, transfers that wait for their receiver,
// and allocations. Offers and rounds are templates of Splice. All of it is known by the names of the packages.
import type { Json } from './wire.ts'

export const walletInterfaces = {
  holdings: '#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding',
  transfers: '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction',
  allocations: '#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation',
  requests: '#splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest',
} as const

export const walletTemplates = {
  offers: '#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer',
  openRounds: '#splice-amulet:Splice.Round:OpenMiningRound',
  issuingRounds: '#splice-amulet:Splice.Round:IssuingMiningRound',
} as const

/** Whether the ledger knows it: it would refuse to read contracts of a package that it does not have. */
export function isServed(reference: string, packageNames: ReadonlySet<string>): boolean {
  return packageNames.has(reference.slice(1, reference.indexOf(':')))
}

export type Instrument = { readonly admin: string; readonly id: string }

export type Lock = { readonly holders: readonly string[]; readonly expiresAt: string | undefined }

export type Holding = {
  readonly owner: string
  readonly instrument: Instrument
  readonly amount: string
  /** Undefined if the owner may use it. */
  readonly lock: Lock | undefined
}

/** A payment on its way: a transfer, an offer, or a leg of a settlement. */
export type Payment = {
  readonly sender: string
  readonly receiver: string
  readonly amount: string
  readonly instrument: Instrument
  readonly expiresAt: string
}

/** Part of a settlement: Amulet that is set aside for it, or a request to do so. */
export type Settlement = { readonly id: string; readonly executor: string; readonly legs: readonly Payment[] }

/** A package may only have the same name as Splice's: what is missing is shown as nothing. */
// biome-ignore lint/suspicious/noExplicitAny: every leaf goes through `text` or `list`.
type Shape = any

export function holdingFrom(view: Json): Holding {
  const { owner, instrumentId, amount, lock } = view as Shape
  return {
    owner: text(owner),
    instrument: instrumentFrom(instrumentId),
    amount: text(amount),
    lock: lock
      ? { holders: list(lock.holders).map(text), expiresAt: lock.expiresAt ? text(lock.expiresAt) : undefined }
      : undefined,
  }
}

export function transferFrom(view: Json): Payment {
  const transfer = (view as Shape).transfer
  return { ...paymentFrom(transfer), expiresAt: text(transfer?.executeBefore) }
}

/** An offer of Splice's wallet is always of its own coin. */
export function offerFrom(payload: Json): Payment {
  const { sender, receiver, dso, amount, expiresAt } = payload as Shape
  return {
    sender: text(sender),
    receiver: text(receiver),
    amount: text(amount?.amount),
    instrument: { admin: text(dso), id: amount?.unit === 'AmuletUnit' ? 'Amulet' : text(amount?.unit) },
    expiresAt: text(expiresAt),
  }
}

export function allocationFrom(view: Json): Settlement {
  const allocation = (view as Shape).allocation
  return settlementFrom(allocation?.settlement, [allocation?.transferLeg])
}

export function requestFrom(view: Json): Settlement {
  const { settlement, transferLegs } = view as Shape
  return settlementFrom(settlement, Object.values(transferLegs ?? {}))
}

function settlementFrom(settlement: Shape, legs: readonly Shape[]): Settlement {
  const expiresAt = text(settlement?.settleBefore)
  return {
    id: text(settlement?.settlementRef?.id),
    executor: text(settlement?.executor),
    legs: legs.map((leg) => ({ ...paymentFrom(leg), expiresAt })),
  }
}

function paymentFrom(value: Shape): Omit<Payment, 'expiresAt'> {
  const { sender, receiver, amount, instrumentId } = value ?? {}
  return {
    sender: text(sender),
    receiver: text(receiver),
    amount: text(amount),
    instrument: instrumentFrom(instrumentId),
  }
}

function instrumentFrom(value: Shape): Instrument {
  return { admin: text(value?.admin), id: text(value?.id) }
}

export type Round = {
  readonly number: string
  readonly price: string
  readonly opensAt: string
  readonly closesAt: string
}

export function roundFrom(payload: Json): Round {
  const { round, amuletPrice, opensAt, targetClosesAt } = payload as Shape
  return {
    number: text(round?.number),
    price: amuletPrice === undefined ? '' : text(amuletPrice),
    opensAt: text(opensAt),
    closesAt: text(targetClosesAt),
  }
}

export type Balance = { readonly instrument: Instrument; readonly available: string; readonly locked: string }

/** Of each instrument, as far as the holdings tell. */
export function balancesOf(holdings: readonly Holding[]): Balance[] {
  const groups = Map.groupBy(holdings, ({ instrument }) => `${instrument.admin} ${instrument.id}`)
  return [...groups.values()].map((own) => ({
    instrument: own[0]!.instrument,
    available: sumOf(own.filter(({ lock }) => lock === undefined)),
    locked: sumOf(own.filter(({ lock }) => lock !== undefined)),
  }))
}

/** Daml's decimals have ten digits after the point. */
const digits = 10

function sumOf(holdings: readonly Holding[]): string {
  const units = holdings.reduce((sum, { amount }) => sum + unitsOf(amount), 0n)
  const padded = String(units).padStart(digits + 1, '0')
  return shownAmount(`${padded.slice(0, -digits)}.${padded.slice(-digits)}`)
}

function unitsOf(amount: string): bigint {
  const [, whole, fraction = ''] = /^(\d{1,28})(?:\.(\d{1,10}))?$/.exec(amount) ?? []
  return whole === undefined ? 0n : BigInt(whole + fraction.padEnd(digits, '0'))
}

/** Without the zeros that decimals are filled with. */
export function shownAmount(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
