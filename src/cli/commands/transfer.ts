// tallystick transfer: sends Amulet from a wallet of a LocalNet, or an instrument of one's own, and decides about transfers that wait
// for their receiver.
import { durationFromText } from '../../base/duration.ts'
import { StartError } from '../../base/errors.ts'
import { type Command, UsageError } from '../command.ts'
import { onlyOne, withoutMark } from '../named-parties.ts'
import { hintOf, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { renderTable } from '../table.ts'
import { type Decision, type TransferFlags, transferOptions, transfersOf } from '../transfers.ts'
import { amountFrom, shownAmount } from '../wallet-of-node.ts'

type SendFlags = TransferFlags & { readonly expires?: string; readonly description?: string }

export const transferCommand: Command = {
  summary: 'send Amulet from a wallet of a LocalNet, or a token of your own',
  usage: 'tallystick transfer AMOUNT RECEIVER [options]',
  operands: ['AMOUNT', 'RECEIVER'],
  options: {
    expires: { type: 'string', value: 'TIME', help: 'how long the receiver may accept it: 90s, 15m, 1h, 7d (1d)' },
    description: { type: 'string', value: 'TEXT', help: 'what the receiver is told' },
    from: { type: 'string', value: 'PARTY', help: 'with --instrument: whose holdings they are' },
    ...transferOptions,
  },
  notes: `RECEIVER is a party, by its id, the beginning of it, or its hint. One that has preapproved transfers has the amount at once; any
other one accepts the transfer first.`,
  async run(flags: SendFlags, { environment, print }, [written, receiver]) {
    const { expires = '1d', description = '', ...rest } = flags
    const amount = amountFrom(written!)
    const lifetimeMs = durationFromText(expires)
    if (lifetimeMs === undefined) throw new UsageError(`--expires: ${expires} is not a time such as 15m or 1d`)
    const transfers = await transfersOf(rest, environment)
    const { answer, party, waits } = await transfers.send({ amount, receiver: receiver!, lifetimeMs, description })
    if (flags.json) return print(JSON.stringify(answer, null, 2))
    if (waits === undefined) return print(`sent ${amount} ${transfers.what} to ${party}`)
    const option = flags.instrument === undefined ? '' : ` --instrument ${flags.instrument}`
    print(`offered ${amount} ${transfers.what} to ${party}, who accepts it with
tallystick transfer accept ${waits}${option}`)
  },
}

export const transferListCommand: Command = {
  summary: 'list the transfers that wait for their receiver',
  usage: 'tallystick transfer list [options]',
  options: { ...transferOptions, full: tableOptions.full },
  async run(flags: TransferFlags & TableFlags, surroundings) {
    const { full: _, ...rest } = flags
    const { environment, print, width } = widthFor(flags, surroundings)
    const transfers = await transfersOf(rest, environment)
    const pending = await transfers.list()
    if (flags.json) return print(JSON.stringify(pending, null, 2))
    const rows = pending.map(({ id, sender, receiver, amount, expires }) => [
      id,
      hintOf(sender),
      hintOf(receiver),
      `${shownAmount(amount)} ${transfers.what}`,
      expires,
    ])
    print(renderTable(['TRANSFER', 'FROM', 'TO', 'AMOUNT', 'EXPIRES'], rows, width))
  },
}

export const transferAcceptCommand = decision('accept', 'accept a transfer', 'accepted')
export const transferRejectCommand = decision('reject', 'reject a transfer', 'rejected')
export const transferWithdrawCommand = decision('withdraw', 'withdraw a transfer that waits', 'withdrew')

function decision(verb: Decision, summary: string, done: string): Command {
  return {
    summary,
    usage: `tallystick transfer ${verb} TRANSFER [options]`,
    operands: ['TRANSFER'],
    options: transferOptions,
    notes: 'TRANSFER is its contract id, or the beginning of it.',
    async run(flags: TransferFlags, { environment, print }, [written]) {
      const transfers = await transfersOf(flags, environment)
      const beginning = withoutMark(written!)
      const found = (await transfers.list()).filter(({ id }) => id.startsWith(beginning))
      if (found.length === 0) throw new StartError(`no transfer ${beginning} waits ${transfers.place}`)
      const ids = found.map((one) => one.id)
      const id = onlyOne(ids, `several transfers begin with ${beginning}`)
      const answer = await transfers.decide(id, verb)
      const { sender, receiver, amount } = found.find((one) => one.id === id)!
      if (flags.json) return print(JSON.stringify(answer, null, 2))
      print(`${done} ${shownAmount(amount)} ${transfers.what} from ${hintOf(sender)} to ${hintOf(receiver)}`)
    },
  }
}
