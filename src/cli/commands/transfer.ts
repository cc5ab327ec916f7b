// tallystick transfer: sends Amulet from a wallet of a LocalNet, and decides about transfers that wait for their receiver.
import { wallClock } from '../../base/clock.ts'
import { durationFromText } from '../../base/duration.ts'
import { StartError } from '../../base/errors.ts'
import { randomUuid, systemRandom } from '../../base/random.ts'
import { type Command, UsageError } from '../command.ts'
import { onlyOne, partyNamed, withoutMark } from '../named-parties.ts'
import type { NodeClient } from '../node-client.ts'
import { hintOf, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { renderTable } from '../table.ts'
import { amountFrom, shownAmount, type Wallet, type WalletFlags, walletOf, walletOptions } from '../wallet-of-node.ts'

const transfers = 'wallet/token-standard/transfers'

export const transferCommand: Command = {
  summary: 'send Amulet from a wallet of a LocalNet',
  usage: 'tallystick transfer AMOUNT RECEIVER [options]',
  operands: ['AMOUNT', 'RECEIVER'],
  options: {
    expires: { type: 'string', value: 'TIME', help: 'how long the receiver may accept it: 90s, 15m, 1h, 7d (1d)' },
    description: { type: 'string', value: 'TEXT', help: 'what the receiver is told' },
    ...walletOptions,
  },
  notes: `RECEIVER is a party, by its id, the beginning of it, or its hint. One that has preapproved transfers has the Amulet at once; any
other one accepts the transfer first.`,
  async run(
    flags: WalletFlags & { readonly expires?: string; readonly description?: string },
    { environment, print },
    [written, receiver],
  ) {
    const { expires = '1d', description = '', ...rest } = flags
    const amount = amountFrom(written!)
    const lifetimeMs = durationFromText(expires)
    if (lifetimeMs === undefined) throw new UsageError(`--expires: ${expires} is not a time such as 15m or 1d`)
    const wallet = await walletOf(rest, environment)
    const party = await partyNamed(receiver!, wallet.node)
    const answer = await wallet.ask('POST', transfers, {
      receiver_party_id: party,
      amount,
      description,
      expires_at: ((await ledgerTimeMs(wallet.node)) + lifetimeMs) * 1000,
      tracking_id: randomUuid(systemRandom),
    })
    if (flags.json) return print(JSON.stringify(answer, null, 2))
    const pending = answer.output.transfer_instruction_cid
    if (pending === undefined) return print(`sent ${amount} Amulet to ${party}`)
    print(`offered ${amount} Amulet to ${party}, who accepts it with
tallystick transfer accept ${pending}`)
  },
}

export const transferListCommand: Command = {
  summary: 'list the transfers of a wallet that wait for their receiver',
  usage: 'tallystick transfer list [options]',
  options: { ...walletOptions, full: tableOptions.full },
  async run(flags: WalletFlags & TableFlags, surroundings) {
    const { full, ...rest } = flags
    const { environment, print, width } = widthFor(flags, surroundings)
    const wallet = await walletOf(rest, environment)
    const pending = await pendingOf(wallet)
    if (flags.json) return print(JSON.stringify(pending, null, 2))
    const rows = pending.map(({ contract_id: id, payload: { transfer } }) => [
      id,
      hintOf(transfer.sender),
      hintOf(transfer.receiver),
      shownAmount(transfer.amount),
      transfer.executeBefore,
    ])
    print(renderTable(['TRANSFER', 'FROM', 'TO', 'AMULET', 'EXPIRES'], rows, width))
  },
}

export const transferAcceptCommand = decision('accept', 'accept a transfer to the wallet', 'accepted')
export const transferRejectCommand = decision('reject', 'reject a transfer to the wallet', 'rejected')
export const transferWithdrawCommand = decision('withdraw', 'withdraw a transfer that waits', 'withdrew')

function decision(verb: string, summary: string, done: string): Command {
  return {
    summary,
    usage: `tallystick transfer ${verb} TRANSFER [options]`,
    operands: ['TRANSFER'],
    options: walletOptions,
    notes: 'TRANSFER is its contract id, or the beginning of it.',
    async run(flags: WalletFlags, { environment, print }, [written]) {
      const wallet = await walletOf(flags, environment)
      const beginning = withoutMark(written!)
      const found = (await pendingOf(wallet)).filter((one) => one.contract_id.startsWith(beginning))
      if (found.length === 0) throw new StartError(`no transfer ${beginning} waits in the wallet of ${wallet.user}`)
      const id = onlyOne(
        found.map((one) => one.contract_id),
        `several transfers begin with ${beginning}`,
      )
      const answer = await wallet.ask('POST', `${transfers}/${id}/${verb}`, {})
      const { sender, receiver, amount } = found.find((one) => one.contract_id === id)!.payload.transfer
      if (flags.json) return print(JSON.stringify(answer, null, 2))
      print(`${done} ${shownAmount(amount)} Amulet from ${hintOf(sender)} to ${hintOf(receiver)}`)
    },
  }
}

type Transfer = {
  readonly sender: string
  readonly receiver: string
  readonly amount: string
  readonly executeBefore: string
}
type Pending = { readonly contract_id: string; readonly payload: { readonly transfer: Transfer } }

async function pendingOf(wallet: Wallet): Promise<readonly Pending[]> {
  return (await wallet.ask('GET', transfers)).transfers
}

/** The ledger's clock may be ahead of this machine's. Canton serves it only where it stands still. */
async function ledgerTimeMs(node: NodeClient): Promise<number> {
  const { status, text } = await node.exchange('GET', '/v2/time', undefined)
  return status === 200 ? Date.parse(JSON.parse(text).currentTime) : wallClock.nowMs()
}
