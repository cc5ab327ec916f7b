// A user of a node who acts for one party, and what it may submit.

export type Account = { readonly userId: string; readonly token: string; readonly party: string }

/** A contract of its own. */
export function createWallet({ userId, party }: Account, commandId: string): object {
  const create = { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner: party } } }
  return { commands: [create], commandId, userId, actAs: [party] }
}
