// A route of a wallet: it is called by the user of a token, who must have a wallet at this validator.
import type { Validator } from '../founding/parties.ts'
import type { Contract, Json } from '../ledger/participant.ts'
import { notFound, type Route, type RouteRequest, unauthorized, type ValidatorContext } from '../serving/route.ts'
import { walletOf } from '../treasury/amulet-operations.ts'
import { acts, type UserWithRights, userWithRights } from '../validator/operators.ts'

export type WalletContext = ValidatorContext & {
  readonly userName: string
  /** Of the user. */
  readonly party: string
  readonly wallet: Contract
}

type Answer = (context: WalletContext, request: RouteRequest) => Promise<Json>

/** As `GET v0/wallet/balance`; the path follows /api/validator/. `operation` is its name in Splice's OpenAPI document. */
export function walletRoute(line: string, operation: string, answer: Answer): Route<ValidatorContext> {
  const [method, path] = line.split(' ')
  return {
    method: method as Route<ValidatorContext>['method'],
    path: `/api/validator/${path}`,
    access: 'user',
    async answer(context, request) {
      const userName = request.user!
      const found = await userWithRights(context.validator.participant, userName)
      const wallet = await walletOfUser(context.validator, userName, found)
      if (wallet === undefined) throw notFound(`No wallet found for user '${userName}' for operation '${operation}'`)
      const party = wallet.payload.endUserParty
      if (!acts(found!, party)) throw unauthorized(userName)
      return answer({ ...context, userName, wallet, party }, request)
    },
  }
}

/** Who is no user of the participant has no wallet, either. */
export async function walletOfUser(
  validator: Validator,
  userName: string,
  found: UserWithRights | undefined,
): Promise<Contract | undefined> {
  return found && walletOf(validator, userName, found.user.primaryParty || undefined)
}
