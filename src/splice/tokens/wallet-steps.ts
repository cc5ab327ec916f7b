// The second step of transfers and allocations of our tokens, for a user of a validator's wallet. Splice's WalletAppInstall knows Amulet
// alone, so the validator acts as the user's party itself.
import type { Json, Participant } from '../ledger/participant.ts'
import { tokenContracts } from './instruments.ts'
import { allocation, tokenTemplates, transferInstruction } from './token-templates.ts'

/** The result of the choice, such as Accept; undefined if the contract is no offer of ours that the party sees. */
export function decideOffer(participant: Participant, party: string, id: string, choice: string): Promise<Json> {
  const named = `TransferInstruction_${choice}`
  return exerciseOwn(participant, party, id, tokenTemplates.transferOffer, transferInstruction, named)
}

/** The same for an allocation. */
export function withdrawAllocation(participant: Participant, party: string, id: string): Promise<Json> {
  return exerciseOwn(participant, party, id, tokenTemplates.allocation, allocation, 'Allocation_Withdraw')
}

async function exerciseOwn(
  participant: Participant,
  party: string,
  contractId: string,
  template: string,
  interfaceId: string,
  choice: string,
): Promise<Json> {
  const own = await tokenContracts(participant, template, [party])
  if (!own.some((one) => one.contractId === contractId)) return undefined
  const choiceArgument = { extraArgs: { context: { values: {} }, meta: { values: {} } } }
  const command = { ExerciseCommand: { templateId: interfaceId, contractId, choice, choiceArgument } }
  const transaction = await participant.submit({ actAs: [party], commands: [command] })
  return transaction.events[0].ExercisedEvent.exerciseResult
}
