// The wallets of a validator's users, and the requests that its automations act upon.
import type { Validator } from '../founding/parties.ts'
import { entityOf } from '../ledger/event-tree.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'

/** What users and apps ask wallets for. */
const requestTemplates = [
  templates.transferOffer,
  templates.acceptedTransferOffer,
  templates.appPaymentRequest,
  templates.subscriptionIdleState,
  templates.buyTrafficRequest,
] as const

export type Wallets = {
  /** The wallet of a party; of several users of a party, any. */
  of(party: string): Contract | undefined
  /** Those that a party of the wallets sees. */
  requests(template: (typeof requestTemplates)[number]): readonly Contract[]
}

type Read = { readonly offset: number; readonly wallets: Promise<Wallets> }

/** The last read for each validator: several automations look at the same state. */
const reads = new WeakMap<Validator, Read>()

export async function walletsOf(validator: Validator): Promise<Wallets> {
  const offset = await validator.participant.end()
  const last = reads.get(validator)
  if (last?.offset === offset) return last.wallets
  const wallets = readWallets(validator, offset)
  reads.set(validator, { offset, wallets })
  wallets.catch(() => reads.delete(validator))
  return wallets
}

async function readWallets({ participant, party }: Validator, offset: number): Promise<Wallets> {
  const installs = await participant.contracts(templates.walletAppInstall, [party], offset)
  const byParty = new Map(installs.map((install) => [install.payload.endUserParty as string, install]))
  const parties = [...byParty.keys()]
  const requests = parties.length === 0 ? [] : await participant.contracts(requestTemplates, parties, offset)
  const byEntity = Map.groupBy(requests, ({ templateId }) => entityOf(templateId))
  return {
    of: (one) => byParty.get(one),
    requests: (template) => byEntity.get(entityOf(template)) ?? [],
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
