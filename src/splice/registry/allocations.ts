// /registry/allocation-instruction and /registry/allocations: the factory of allocations, and the contexts in which an allocation is
// executed, withdrawn or cancelled. Mirrors Splice's HttpTokenStandardAllocation(Instruction)Handler.
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { badRequest, notFound, type Route, type RouteContext } from '../serving/route.ts'
import {
  type BuiltContext,
  createChoiceContext,
  factoryRules,
  latestConfigState,
  type TwoSteps,
  transferContext,
  twoStepContext,
} from './choice-context.ts'

type AllocationRoute = Route<RouteContext>

const post = (path: string, answer: AllocationRoute['answer']): AllocationRoute => ({
  method: 'POST',
  path,
  access: 'anyone',
  answer,
})

const noInstructions =
  'Allocation instruction choice contexts are unsupported because amulet does not create allocation instructions.'

/** Executing needs what is locked; it is the one choice for which a featured executor is rewarded. */
const choicesV1 = [
  { choice: 'execute-transfer', needsLocked: true },
  { choice: 'withdraw', needsLocked: false },
  { choice: 'cancel', needsLocked: false },
]
const choicesV2 = ['withdraw', 'cancel']

export const allocationRoutes: readonly AllocationRoute[] = [
  post('/registry/allocation-instruction/v1/allocation-factory', (context, { body }) =>
    allocationFactory(context, body),
  ),
  post('/registry/allocation-instruction/v2/allocation-factory', (context, { body }) =>
    allocationFactoryV2(context, body),
  ),
  ...['accept', 'withdraw'].map((choice) =>
    post(`/registry/allocation-instruction/v2/{allocationInstructionId}/choice-contexts/${choice}`, async () => {
      throw badRequest(noInstructions)
    }),
  ),
  ...choicesV1.map(({ choice, needsLocked }) =>
    post(`/registry/allocations/v1/{allocationId}/choice-contexts/${choice}`, (context, { params, body }) =>
      allocationContext(context, params.allocationId!, needsLocked, body),
    ),
  ),
  ...choicesV2.map((choice) =>
    post(`/registry/allocations/v2/{allocationId}/choice-contexts/${choice}`, (context, { params, body }) =>
      allocationContextV2(context, params.allocationId!, body),
    ),
  ),
  post('/registry/allocation/v2/settlement-factory', settlementFactory),
]

export async function allocationFactory(
  context: RouteContext,
  body: Json,
): Promise<{ factoryId: string; choiceContext: BuiltContext }> {
  const rules = await factoryRules(context)
  const choiceContext = (await transferContext(context, body)).disclose(rules).build()
  return { factoryId: rules.contractId, choiceContext }
}

/** Of an allocation that exists, for one of its choices. */
export async function allocationContext(
  context: RouteContext,
  id: string,
  needsLocked: boolean,
  body: Json,
): Promise<BuiltContext> {
  return twoStepContext(context, await stepsV1(context, id, needsLocked), body)
}

/** The same by version 2. */
export async function allocationContextV2(context: RouteContext, id: string, body: Json): Promise<BuiltContext> {
  return twoStepContext(context, await stepsV2(context, id), body)
}

export async function allocationFactoryV2(
  context: RouteContext,
  body: Json,
): Promise<{ factoryId: string; choiceContext: BuiltContext }> {
  const rules = await factoryRules(context)
  const choiceContext = createChoiceContext(body)
    .add('external-party-config-state', await latestConfigState(context.dso))
    .disclose(rules)
    .build()
  return { factoryId: rules.contractId, choiceContext }
}

async function stepsV1({ dso }: RouteContext, id: string, needsLocked: boolean): Promise<TwoSteps> {
  const name = `AmuletAllocation '${id}'`
  const found = await dso.byId(templates.amuletAllocation, id)
  if (found === undefined) throw notFound(`${name} not found.`)
  const { lockedAmulet, allocation } = found.payload
  const { settleBefore: expiry, executor } = allocation.settlement
  return { name, lockedAmulet, expiry, needsLocked, featuredProvider: needsLocked ? executor : undefined }
}

/** Allocations of version 1 have the choices of version 2, too. */
async function stepsV2(context: RouteContext, id: string): Promise<TwoSteps> {
  const found = await context.dso.byId(templates.amuletAllocationV2, id)
  if (found === undefined) return { ...(await stepsV1(context, id, false)), name: `AmuletAllocationV2 '${id}'` }
  const { lockedAmulet, allocation } = found.payload
  const expiry = allocation.settlementDeadline ?? undefined
  return { name: `AmuletAllocationV2 '${id}'`, lockedAmulet: lockedAmulet ?? undefined, expiry, needsLocked: false }
}

/** Settles a batch of allocations of either version. */
async function settlementFactory(context: RouteContext, { body }: { body: Json }): Promise<object> {
  const wanted: unknown = body.choiceArguments?.allocations
  if (!Array.isArray(wanted)) {
    throw badRequest('Field `choiceArguments` does not contain a valid `SettlementFactory_SettleBatch`.')
  }
  const ids = new Set(wanted.map((one) => one.allocationCid))
  const { dso } = context
  const allocations = [...(await dso.all(templates.amuletAllocationV2)), ...(await dso.all(templates.amuletAllocation))]
  const locked = new Set(
    allocations.filter(({ contractId }) => ids.has(contractId)).map(({ payload }) => payload.lockedAmulet),
  )
  const rules = await factoryRules(context)
  const choiceContext = createChoiceContext(body)
    .add('external-party-config-state', await latestConfigState(dso))
    .disclose(rules)
  for (const amulet of await dso.all(templates.lockedAmulet)) {
    if (locked.has(amulet.contractId)) choiceContext.disclose(amulet)
  }
  return { factoryId: rules.contractId, choiceContext: choiceContext.build() }
}
