// Transfer offers that were accepted: the validator of the sender pays. Splice's AcceptedTransferOfferTrigger.
import type { Validator } from '../founding/parties.ts'
import { templates } from '../ledger/templates.ts'
import { operate } from '../treasury/amulet-operations.ts'
import { type Automation, type AutomationContext, done, nothingDue } from './automation.ts'

export const completeTransferOffers: Automation = {
  name: 'complete accepted transfer offers',
  async step(context) {
    for (const validator of context.network.validators) if (await completeOne(context, validator)) return done
    return nothingDue
  },
}

/** An offer that its sender cannot pay is aborted, so that it does not keep the others waiting. */
async function completeOne(context: AutomationContext, validator: Validator): Promise<boolean> {
  const { participant, party } = validator
  const installs = await participant.contracts(templates.walletAppInstall, [party])
  for (const install of installs) {
    const { endUserParty: sender } = install.payload
    const offers = await participant.contracts(templates.acceptedTransferOffer, [sender])
    const own = offers.find(({ payload }) => payload.sender === sender)
    if (own === undefined) continue
    const operation = { tag: 'CO_CompleteAcceptedTransfer', value: own.contractId }
    try {
      await operate({ ...context, validator }, install, operation)
    } catch (error) {
      await abort(validator, install.contractId, own.contractId, (error as Error).message)
    }
    return true
  }
  return false
}

const reasonLengthMax = 200

async function abort({ participant, party }: Validator, install: string, cid: string, reason: string): Promise<void> {
  await participant.submit({
    actAs: [party],
    commands: [
      {
        ExerciseCommand: {
          templateId: templates.walletAppInstall,
          contractId: install,
          choice: 'WalletAppInstall_AcceptedTransferOffer_Abort',
          choiceArgument: { cid, reason: reason.slice(0, reasonLengthMax) },
        },
      },
    ],
  })
}
