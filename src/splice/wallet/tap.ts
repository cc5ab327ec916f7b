// POST /api/validator/v0/wallet/tap: Amulet from the faucet, for an amount in dollars.
import { decimalFrom, dividedUp, unitsFrom } from '../ledger/decimals.ts'
import { checkFields } from '../serving/request-fields.ts'
import { badRequest, notFound } from '../serving/route.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { walletRoute } from './wallet-route.ts'

/** As Splice writes it. */
const decimalPattern = '-?\\d{1,28}(\\.\\d{1,10})?'

export const tapRoute = walletRoute('POST v0/wallet/tap', 'tap', async (context, { body }) => {
  checkFields(body, { required: { amount: 'String' }, optional: { command_id: 'String' } })
  const { amount } = body
  const dollars = unitsFrom(amount)
  if (dollars === undefined) {
    throw badRequest(`Failed to decode: Invalid Decimal string "${amount}", as it does not match "${decimalPattern}"`)
  }
  const { dso, network, validator, wallet, userName } = context
  const nowMs = await context.now()
  const round = await dso.usableRound(nowMs)
  if (round === undefined) throw notFound('No open usable OpenMiningRound found.')
  const tapAmount = decimalFrom(dividedUp(dollars, unitsFrom(round.payload.amuletPrice)!))
  const commandId = body.command_id ? `tap-${userName}-${body.command_id}` : undefined
  const treasury = { network, dso, validator, nowMs }
  const outcome = await operate(treasury, wallet, { tag: 'CO_Tap', value: { tapAmount } }, { commandId })
  return { contract_id: outcome.value }
})
