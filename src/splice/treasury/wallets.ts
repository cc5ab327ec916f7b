// The wallets of a validator's users, and what their parties see.
import type { Validator } from '../founding/parties.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'

export type Wallets = {
  /** The wallet of a party; of several users of a party, any. */
  of(party: string): Contract | undefined
  /** Contracts of a template that the parties of the wallets see, in one read. */
  contracts(template: string): Promise<Contract[]>
}

export async function walletsOf({ participant, party }: Validator): Promise<Wallets> {
  const installs = await participant.contracts(templates.walletAppInstall, [party])
  const byParty = new Map(installs.map((install) => [install.payload.endUserParty as string, install]))
  const parties = [...byParty.keys()]
  return {
    of: (one) => byParty.get(one),
    contracts: async (template) => (parties.length === 0 ? [] : participant.contracts(template, parties)),
  }
}

/** A choice of a wallet that needs no Amulet. */
export async function exerciseInstall(
  { participant, party }: Validator,
  { contractId }: Contract,
  choice: string,
  choiceArgument: object,
): Promise<void> {
  const templateId = templates.walletAppInstall
  await participant.submit({
    actAs: [party],
    commands: [{ ExerciseCommand: { templateId, contractId, choice, choiceArgument } }],
  })
}
