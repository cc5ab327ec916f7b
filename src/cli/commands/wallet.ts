// tallystick tap and balance: Amulet from the faucet of a LocalNet, and what a wallet or a party has.
import type { Command } from '../command.ts'
import { partyNamed } from '../named-parties.ts'
import { hintOf, runningNode } from '../running-node.ts'
import { renderTable } from '../table.ts'
import { asking, participantAt } from '../token-ledger.ts'
import { renderRows } from '../transaction-tree.ts'
import { amountFrom, shownAmount, type Wallet, type WalletFlags, walletOf, walletOptions } from '../wallet-of-node.ts'

export const tapCommand: Command = {
  summary: "fill a wallet of a LocalNet from Amulet's faucet",
  usage: 'tallystick tap AMOUNT [options]',
  operands: ['AMOUNT'],
  options: walletOptions,
  notes: 'AMOUNT is in dollars; the price of the round says how much Amulet that is.',
  async run(flags: WalletFlags, { environment, print }, [written]) {
    const amount = amountFrom(written!)
    const wallet = await walletOf(flags, environment)
    const tapped = await wallet.ask('POST', 'wallet/tap', { amount })
    if (flags.json) return print(JSON.stringify(tapped, null, 2))
    const { effective_unlocked_qty: unlocked } = await wallet.ask('GET', 'wallet/balance')
    print(`${wallet.user} has ${shownAmount(unlocked)} Amulet, with what ${amount} dollars buy`)
  },
}

export const balanceCommand: Command = {
  summary: 'show what a wallet of a LocalNet has, or which tokens any party holds',
  usage: 'tallystick balance [options]',
  options: {
    party: {
      type: 'string',
      value: 'PARTY',
      help: 'all tokens that this party holds, on any node, instead of a wallet',
    },
    ...walletOptions,
  },
  async run({ party, ...flags }: WalletFlags & { readonly party?: string }, { environment, print, width }) {
    if (party !== undefined) return print(await tokensOf(party, flags, environment, width))
    const wallet = await walletOf(flags, environment)
    const balance = await wallet.ask('GET', 'wallet/balance')
    if (flags.json) return print(JSON.stringify(balance, null, 2))
    print(renderRows(await rowsOf(wallet, balance), width))
  },
}

type Balance = {
  readonly round: number
  readonly effective_unlocked_qty: string
  readonly effective_locked_qty: string
  readonly total_holding_fees: string
}

async function rowsOf(wallet: Wallet, balance: Balance): Promise<[string, string][]> {
  const { party_id: party } = await wallet.ask('GET', 'wallet/user-status')
  return [
    ['user', wallet.user],
    ['party', party],
    ['available', `${shownAmount(balance.effective_unlocked_qty)} Amulet`],
    ['locked', `${shownAmount(balance.effective_locked_qty)} Amulet`],
    ['holding fees', `${shownAmount(balance.total_holding_fees)} Amulet`],
    ['round', String(balance.round)],
  ]
}

async function tokensOf(
  written: string,
  { wallet: _, user: __, ...flags }: WalletFlags,
  environment: Readonly<Record<string, string | undefined>>,
  width: number | undefined,
): Promise<string> {
  const { balancesOf } = await import('../../splice/tokens/balances.ts')
  const party = await partyNamed(written, await runningNode(flags, environment))
  const participant = await participantAt(flags, environment)
  const balances = await asking(() => balancesOf(participant, party))
  if (flags.json) return JSON.stringify(balances, null, 2)
  const rows = balances.map(({ id, admin, available, locked }) => [
    id,
    hintOf(admin),
    shownAmount(available),
    shownAmount(locked),
  ])
  return renderTable(['TOKEN', 'ADMIN', 'AVAILABLE', 'LOCKED'], rows, width)
}
