// Commands that external parties have signed to send Amulet: the DSO counts them for each sender, and the sender's validator sends.
// Splice's TransferCommandCounterTrigger and TransferCommandSendTrigger.
import type { Validator } from '../founding/parties.ts'
import { type Contract, disclosedFrom } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { paymentContext } from '../treasury/amulet-operations.ts'
import { type Automation, type AutomationContext, done, nothingDue } from './automation.ts'
import { exerciseCommand } from './dso-choices.ts'

export const countTransferCommands: Automation = {
  name: 'count the transfer commands of each sender',
  async step({ network, dso }) {
    const counters = await dso.all(templates.transferCommandCounter)
    const counted = new Set(counters.map(({ payload }) => payload.sender))
    const commands = await dso.all(templates.transferCommand)
    const next = commands.find(({ payload }) => !counted.has(payload.sender))
    if (next === undefined) return nothingDue
    const { sender } = next.payload
    const rules = (await dso.only(templates.dsoRules))!
    await network.sv.participant.submit({
      actAs: [network.dso],
      commands: [
        exerciseCommand(templates.dsoRules, rules.contractId, 'DsoRules_CreateTransferCommandCounter', { sender }),
      ],
    })
    return done
  },
}

export const sendTransferCommands: Automation = {
  name: 'send what external parties have signed',
  async step(context) {
    const { dso, network, nowMs } = context
    const counters = await dso.all(templates.transferCommandCounter)
    let failure: unknown
    for (const command of await dso.all(templates.transferCommand)) {
      const { sender, delegate, nonce, expiresAt } = command.payload
      const counter = counters.find(({ payload }) => payload.sender === sender)
      const validator = network.validators.find(({ party }) => party === delegate)
      // One that is too early waits for those before it.
      const isTurn = counter !== undefined && Number(nonce) <= Number(counter.payload.nextNonce)
      if (validator === undefined || !isTurn || Date.parse(expiresAt) <= nowMs) continue
      try {
        await send(context, validator, command, counter)
        return done
      } catch (error) {
        failure = error // It may succeed later; others do not wait for it.
      }
    }
    if (failure !== undefined) throw failure
    return nothingDue
  },
}

async function send(
  { dso, network, nowMs }: AutomationContext,
  validator: Validator,
  command: Contract,
  counter: Contract,
): Promise<void> {
  const { participant, party } = validator
  const { sender, receiver } = command.payload
  const approvals = await dso.all(templates.transferPreapproval)
  const preapproval = approvals.find(({ payload }) => payload.receiver === receiver)
  const provider = preapproval?.payload.provider
  const { context, disclosed } = await paymentContext({ network, dso, validator, nowMs }, { owner: sender, provider })
  const amulets = await participant.contracts(templates.amulet, [sender])
  const own = amulets.filter(({ payload }) => payload.owner === sender)
  await participant.submit({
    actAs: [party],
    readAs: [sender],
    disclosed: [...disclosed, ...(preapproval === undefined ? [] : [preapproval])].map(disclosedFrom),
    commands: [
      exerciseCommand(templates.transferCommand, command.contractId, 'TransferCommand_Send', {
        context,
        inputs: own.map(({ contractId: value }) => ({ tag: 'InputAmulet', value })),
        ...(preapproval !== undefined && { transferPreapprovalCidO: preapproval.contractId }),
        transferCounterCid: counter.contractId,
      }),
    ],
  })
}
