// tallystick token mint and tallystick token burn: more or less of an instrument of one's own.
import type { Command } from '../command.ts'
import { partyNamed } from '../named-parties.ts'
import { hintOf, runningNode, runningNodeOptions } from '../running-node.ts'
import {
  adminOption,
  asking,
  checkedAmount,
  type InstrumentFlags,
  instrumentNamed,
  participantAt,
} from '../token-ledger.ts'

type MintFlags = InstrumentFlags & { readonly to?: string }
type BurnFlags = InstrumentFlags & { readonly from?: string }

export const tokenMintCommand: Command = {
  summary: 'mint an amount of an instrument',
  usage: 'tallystick token mint AMOUNT ID [--to PARTY] [options]',
  operands: ['AMOUNT', 'ID'],
  options: {
    to: { type: 'string', value: 'PARTY', help: 'who gets it (its admin)' },
    ...adminOption,
    ...runningNodeOptions,
  },
  notes: `A party of another participant, or with a key of its own, that has not preapproved gets an offer, which it accepts in its wallet.`,
  async run(flags: MintFlags, { environment, print }, [written, id]) {
    const amount = await checkedAmount(written!)
    const { mint } = await import('../../splice/tokens/instruments.ts')
    await asking(async () => {
      const participant = await participantAt(flags, environment)
      const instrument = await instrumentNamed(id!, participant, flags, environment)
      const node = await runningNode(flags, environment)
      const receiver = flags.to === undefined ? instrument.admin : await partyNamed(flags.to, node)
      const minted = await mint(participant, instrument, receiver, amount)
      const done = minted.kind === 'received' ? 'has got' : 'has been offered'
      print(flags.json ? JSON.stringify(minted, null, 2) : `${hintOf(receiver)} ${done} ${amount} ${id}`)
    })
  },
}

export const tokenBurnCommand: Command = {
  summary: 'burn an amount of an instrument',
  usage: 'tallystick token burn AMOUNT ID [--from PARTY] [options]',
  operands: ['AMOUNT', 'ID'],
  options: {
    from: { type: 'string', value: 'PARTY', help: 'whose holdings are burned (its admin)' },
    ...adminOption,
    ...runningNodeOptions,
  },
  async run(flags: BurnFlags, { environment, print }, [written, id]) {
    const amount = await checkedAmount(written!)
    const { burn } = await import('../../splice/tokens/instruments.ts')
    await asking(async () => {
      const participant = await participantAt(flags, environment)
      const instrument = await instrumentNamed(id!, participant, flags, environment)
      const node = await runningNode(flags, environment)
      const owner = flags.from === undefined ? instrument.admin : await partyNamed(flags.from, node)
      await burn(participant, instrument, owner, amount)
      print(flags.json ? JSON.stringify({ owner, amount }, null, 2) : `burned ${amount} ${id} of ${hintOf(owner)}`)
    })
  },
}
