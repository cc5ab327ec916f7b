// A route of a wallet: it is called by the user of a token, who must have a wallet at this validator.
import type { Contract, Json } from '../ledger/participant.ts'
import { notFound, type Route, type RouteRequest, unauthorized, type ValidatorContext } from '../serving/route.ts'
import { walletOf } from '../treasury/amulet-operations.ts'
import { mayActAs } from '../validator/operators.ts'

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
      const wallet = await walletOf(context.validator, userName)
      if (wallet === undefined) throw notFound(`No wallet found for user '${userName}' for operation '${operation}'`)
      const party = wallet.payload.endUserParty
      if (!(await mayActAs(context.validator, userName, party))) throw unauthorized(userName)
      return answer({ ...context, userName, wallet, party }, request)
    },
  }
}
