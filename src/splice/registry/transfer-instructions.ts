// /registry/transfer-instruction: the factory of transfers, and the contexts of a transfer that waits for its receiver. Mirrors
// Splice's HttpTokenStandardTransferInstructionHandler.
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { badRequest, notFound, type Route, type RouteContext } from '../serving/route.ts'
import { type BuiltContext, factoryRules, featuredRightOf, transferContext, twoStepContext } from './choice-context.ts'
import { transferIn } from './factory-arguments.ts'

/** Only accepting is impossible without the Amulet that is locked for the transfer. */
const choices = [
  { choice: 'accept', needsLocked: true },
  { choice: 'reject', needsLocked: false },
  { choice: 'withdraw', needsLocked: false },
]

/** In version 2, an account stands for the party that owns it. */
const versions = [
  { version: 'v1', partyOf: (value: Json) => value },
  { version: 'v2', partyOf: (value: Json) => value.owner },
] as const

export const transferInstructionRoutes: readonly Route<RouteContext>[] = versions.flatMap(({ version, partyOf }) => {
  const base = `/registry/transfer-instruction/${version}`
  return [
    {
      method: 'POST',
      path: `${base}/transfer-factory`,
      access: 'anyone',
      async answer(context, { body }) {
        const transfer = transferIn(version, body)
        const [sender, receiver] = [partyOf(transfer.sender), partyOf(transfer.receiver)]
        if (typeof sender !== 'string' || typeof receiver !== 'string') {
          throw badRequest('An account of the transfer has no owner')
        }
        return transferFactory(context, sender, receiver, body)
      },
    },
    ...choices.map(
      ({ choice, needsLocked }): Route<RouteContext> => ({
        method: 'POST',
        path: `${base}/{transferInstructionId}/choice-contexts/${choice}`,
        access: 'anyone',
        answer: (context, { params, body }) =>
          instructionContext(context, params.transferInstructionId!, needsLocked, body),
      }),
    ),
  ]
})

export async function transferFactory(
  context: RouteContext,
  sender: string,
  receiver: string,
  body: Json,
): Promise<{ factoryId: string; transferKind: string; choiceContext: BuiltContext }> {
  const isToSelf = sender === receiver
  const preapproval = isToSelf ? undefined : await preapprovalOf(context, receiver)
  const rules = await factoryRules(context)
  const choiceContext = (await transferContext(context, body))
    .add('featured-app-right', await featuredRightOf(context, preapproval?.payload.provider))
    .add('transfer-preapproval', preapproval)
    .disclose(rules)
    .build()
  const kind = isToSelf ? 'self' : preapproval === undefined ? 'offer' : 'direct'
  return { factoryId: rules.contractId, transferKind: kind, choiceContext }
}

export async function preapprovalOf({ dso }: RouteContext, receiver: string) {
  return (await dso.all(templates.transferPreapproval)).find(({ payload }) => payload.receiver === receiver)
}

export async function instructionContext(
  context: RouteContext,
  id: string,
  needsLocked: boolean,
  body: Json,
): Promise<BuiltContext> {
  const name = `AmuletTransferInstruction '${id}'`
  const instruction = await context.dso.byId(templates.amuletTransferInstruction, id)
  if (instruction === undefined) throw notFound(`${name} not found.`)
  const { lockedAmulet, transfer } = instruction.payload
  return twoStepContext(context, { name, lockedAmulet, expiry: transfer.executeBefore, needsLocked }, body)
}
