// What a wallet has, by the views of the token standard: holdings of any instrument, transfers that wait for their receiver,
// and allocations. Offers and rounds are templates of Splice. All of it is known by the names of the packages.
import type { Json } from './wire.ts'

/** Every version of an interface of the standard. A contract may have several of them: their views say the same. */
function versionsOf(name: string, module: string, entity: string): readonly string[] {
  return [1, 2].map(
    (version) => `#splice-api-token-${name}-v${version}:Splice.Api.Token.${module}V${version}:${entity}`,
  )
}

export const walletInterfaces = {
  holdings: versionsOf('holding', 'Holding', 'Holding'),
  transfers: versionsOf('transfer-instruction', 'TransferInstruction', 'TransferInstruction'),
  allocations: versionsOf('allocation', 'Allocation', 'Allocation'),
  requests: versionsOf('allocation-request', 'AllocationRequest', 'AllocationRequest'),
} as const

export const walletTemplates = {
  offers: ['#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer'],
  openRounds: ['#splice-amulet:Splice.Round:OpenMiningRound'],
  issuingRounds: ['#splice-amulet:Splice.Round:IssuingMiningRound'],
} as const

/** Those that the ledger knows: it would refuse to read contracts of a package that it does not have. */
export function servedOf(references: readonly string[], packageNames: ReadonlySet<string>): readonly string[] {
  return references.filter((reference) => packageNames.has(reference.slice(1, reference.indexOf(':'))))
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

/** Part of a settlement: what is set aside for it, or a request to do so. */
export type Settlement = {
  readonly id: string
  readonly executors: readonly string[]
  readonly legs: readonly Payment[]
}

/** A package may only have the same name as Splice's: what is missing is shown as nothing. */
// biome-ignore lint/suspicious/noExplicitAny: every leaf goes through `text` or `list`.
type Shape = any

export function holdingFrom(view: Json): Holding {
  const { owner, account, instrumentId, amount, lock } = view as Shape
  return {
    owner: partyOf(owner ?? account),
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
  const { settlement, allocation } = view as Shape
  const legs = allocation?.transferLegSides === undefined ? [allocation?.transferLeg] : legsOf(allocation)
  return settlementFrom(settlement ?? allocation?.settlement, legs, allocation?.settlementDeadline)
}

export function requestFrom(view: Json): Settlement {
  const { settlement, transferLegs, allocations } = view as Shape
  const legs = allocations === undefined ? Object.values(transferLegs ?? {}) : list(allocations).flatMap(legsOf)
  return settlementFrom(settlement, legs, undefined)
}

/** In version 2, each allocation authorizes its own side of legs. */
function legsOf(allocation: Shape): Shape[] {
  const { admin, authorizer, transferLegSides } = allocation ?? {}
  return list(transferLegSides).map((leg: Shape) => {
    const { side, otherside, amount, instrumentId } = leg ?? {}
    const [sender, receiver] = side === 'ReceiverSide' ? [otherside, authorizer] : [authorizer, otherside]
    return { sender, receiver, amount, instrumentId: { admin, id: instrumentId } }
  })
}

/** Version 1 has one executor, and its deadline here; version 2 may have several, and a deadline for each allocation. */
function settlementFrom(settlement: Shape, legs: readonly Shape[], deadline: unknown): Settlement {
  const { executor, executors, id, settlementRef, settleBefore } = settlement ?? {}
  const expiresAt = text(settleBefore ?? deadline)
  return {
    id: text(settlementRef?.id ?? id),
    executors: (executor === undefined ? list(executors) : [executor]).map(text),
    legs: legs.map((leg) => ({ ...paymentFrom(leg), expiresAt })),
  }
}

function paymentFrom(value: Shape): Omit<Payment, 'expiresAt'> {
  const { sender, receiver, amount, instrumentId } = value ?? {}
  return {
    sender: partyOf(sender),
    receiver: partyOf(receiver),
    amount: text(amount),
    instrument: instrumentFrom(instrumentId),
  }
}

/** Version 2 knows accounts. Those without an owner are the issuer's own. */
function partyOf(value: Shape): string {
  return text(typeof value === 'object' ? value?.owner : value)
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
