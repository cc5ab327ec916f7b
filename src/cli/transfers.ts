// Transfers as the commands know them: of Amulet by a wallet of a LocalNet, or of an instrument of one's own by any node.
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { randomUuid, systemRandom } from '../base/random.ts'
import type { Contract } from '../splice/ledger/participant.ts'
import { UsageError } from './command.ts'
import { partyNamed } from './named-parties.ts'
import type { NodeClient } from './node-client.ts'
import type { OptionTable } from './options.ts'
import { runningNode } from './running-node.ts'
import { asking, type InstrumentFlags, participantAt, participantsHere } from './token-ledger.ts'
import { type WalletFlags, walletOf, walletOptions } from './wallet-of-node.ts'

export const transferOptions = {
  instrument: { type: 'string', value: 'ID', help: "an instrument of one's own, on any node, instead of Amulet" },
  admin: { type: 'string', value: 'PARTY', help: 'with --instrument: its admin, where several have one of this name' },
  ...walletOptions,
} as const satisfies OptionTable

export type TransferFlags = WalletFlags & InstrumentFlags & { readonly instrument?: string; readonly from?: string }

export type Order = {
  readonly amount: string
  readonly receiver: string
  readonly lifetimeMs: number
  readonly description: string
}

/** A transfer that waits for its receiver. */
export type Pending = {
  readonly id: string
  readonly sender: string
  readonly receiver: string
  readonly amount: string
  readonly expires: string
}

export type Decision = 'accept' | 'reject' | 'withdraw'

export type Transfers = {
  /** What is transferred: Amulet. */
  readonly what: string
  /** For messages: where it was looked. */
  readonly place: string
  /** The answer, the whole name of the receiver, and the transfer that waits now, if it does. */
  send(order: Order): Promise<{ readonly answer: object; readonly party: string; readonly waits?: string }>
  list(): Promise<readonly Pending[]>
  decide(id: string, decision: Decision): Promise<object>
}

type Environment = Readonly<Record<string, string | undefined>>

export function transfersOf(flags: TransferFlags, environment: Environment): Promise<Transfers> {
  const { instrument, admin, from, ...walletFlags } = flags
  if (instrument !== undefined) return transfersOfInstrument(flags, instrument, environment)
  if (admin !== undefined || from !== undefined) throw new UsageError('--admin and --from are only for --instrument')
  return transfersOfWallet(walletFlags, environment)
}

const path = 'wallet/token-standard/transfers'

async function transfersOfWallet(flags: WalletFlags, environment: Environment): Promise<Transfers> {
  const wallet = await walletOf(flags, environment)
  return {
    what: 'Amulet',
    place: `in the wallet of ${wallet.user}`,
    async send({ amount, receiver, lifetimeMs, description }) {
      const party = await partyNamed(receiver, wallet.node)
      const answer = await wallet.ask('POST', path, {
        receiver_party_id: party,
        amount,
        description,
        expires_at: ((await ledgerTimeMs(wallet.node)) + lifetimeMs) * 1000,
        tracking_id: randomUuid(systemRandom),
      })
      const waits: string | undefined = answer.output.transfer_instruction_cid
      return { answer, party, ...(waits !== undefined && { waits }) }
    },
    async list() {
      const { transfers } = (await wallet.ask('GET', path)) as { transfers: readonly WalletTransfer[] }
      return transfers.map(({ contract_id, payload }) => pendingFrom(contract_id, payload))
    },
    decide: (id, decision) => wallet.ask('POST', `${path}/${id}/${decision}`, {}),
  }
}

type WalletTransfer = { readonly contract_id: string; readonly payload: Contract['payload'] }

function pendingFrom(id: string, { transfer }: Contract['payload']): Pending {
  const { sender, receiver, amount, executeBefore: expires } = transfer
  return { id, sender, receiver, amount, expires }
}

/** The ledger's clock may be ahead of this machine's. Canton serves it only where it stands still. */
async function ledgerTimeMs(node: NodeClient): Promise<number> {
  const { status, text } = await node.exchange('GET', '/v2/time', undefined)
  return status === 200 ? Date.parse(JSON.parse(text).currentTime) : wallClock.nowMs()
}

/** Whoever may command the node acts as any of its parties. */
async function transfersOfInstrument(flags: TransferFlags, id: string, environment: Environment): Promise<Transfers> {
  const { createTokenReads } = await import('../splice/tokens/token-reads.ts')
  const { decide, offersOf, transfer } = await import('../splice/tokens/transfers.ts')
  const { instrument: _, wallet: __, user: ___, admin, from, ...nodeFlags } = flags
  const node = await runningNode(nodeFlags, environment)
  const participant = await participantAt(nodeFlags, environment)
  const tokens = createTokenReads(await participantsHere(nodeFlags, environment))
  const instrument = await asking(() => onlyInstrument(id, admin, tokens))
  return {
    what: id,
    place: 'on this participant',
    async send({ receiver, ...order }) {
      if (from === undefined) throw new UsageError(`--from is missing: whose ${id} it is`)
      const sender = await partyNamed(from, node)
      const party = await partyNamed(receiver, node)
      const answer = await asking(() =>
        transfer(participant, tokens, { ...order, instrument, sender, receiver: party }),
      )
      const waits: string | undefined = answer.output.value.transferInstructionCid
      return { answer, party, ...(waits !== undefined && { waits }) }
    },
    async list() {
      const offers = await asking(() => offersOf(participant, instrument))
      return offers.map(({ contractId, payload }) => pendingFrom(contractId, payload))
    },
    async decide(contractId, decision) {
      const offers = await asking(() => offersOf(participant, instrument))
      const offer = offers.find((one) => one.contractId === contractId)!
      return asking(() => decide(participant, offer, names[decision]))
    },
  }
}

const names = { accept: 'Accept', reject: 'Reject', withdraw: 'Withdraw' } as const

async function onlyInstrument(id: string, admin: string | undefined, tokens: Reads): Promise<Named> {
  const { tokenTemplates } = await import('../splice/tokens/token-templates.ts')
  const contracts = await tokens.all(tokenTemplates.instrument)
  const found = contracts
    .map(({ payload }): Named => ({ admin: payload.admin, id: payload.id }))
    .filter(
      (one) => one.id === id && (admin === undefined || one.admin === admin || one.admin.startsWith(`${admin}::`)),
    )
  if (found.length === 1) return found[0]!
  if (found.length > 1) throw new UsageError(`several admins have an instrument ${id}; name one with --admin`)
  throw new StartError(`there is no instrument ${id}; tallystick token instrument create ${id} --admin PARTY makes one`)
}

type Named = { readonly admin: string; readonly id: string }
type Reads = { all(template: string): Promise<Contract[]> }
