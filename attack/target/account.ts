// A user that acts for one party, and the commands it may submit.

export type Account = { readonly userId: string; readonly token: string; readonly party: string }

/** Creates a contract of the account's own party. */
export function createWallet({ userId, party }: Account, commandId: string): object {
  const create = { CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner: party } } }
  return { commands: [create], commandId, userId, actAs: [party] }
}
