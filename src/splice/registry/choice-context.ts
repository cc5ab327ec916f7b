// Choice contexts of the token standard: what a choice of Amulet needs to know, by key, and the contracts that its caller does not
// see. As Splice's ChoiceContextBuilder makes them.
import type { Contract, Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { notFound, type RouteContext } from '../serving/route.ts'

export type ChoiceContext = {
  /** Adds a contract under a key, and discloses it; nothing if there is none. */
  add(key: string, contract: Contract | undefined): ChoiceContext
  addFlag(key: string, value: boolean): ChoiceContext
  disclose(contract: Contract): ChoiceContext
  build(): BuiltContext
}

export type BuiltContext = { readonly choiceContextData: object; readonly disclosedContracts: readonly object[] }

export function createChoiceContext({ excludeDebugFields = false }: Json): ChoiceContext {
  const values: [key: string, value: object][] = []
  const disclosed: Contract[] = []
  const context: ChoiceContext = {
    add(key, contract) {
      if (contract === undefined) return context
      values.push([key, { tag: 'AV_ContractId', value: contract.contractId }])
      return context.disclose(contract)
    },
    addFlag(key, value) {
      values.push([key, { tag: 'AV_Bool', value }])
      return context
    },
    disclose(contract) {
      disclosed.push(contract)
      return context
    },
    build: () => ({
      choiceContextData: { values: Object.fromEntries(values) },
      disclosedContracts: disclosed.map((contract) => disclosedContract(contract, excludeDebugFields)),
    }),
  }
  return context
}

function disclosedContract(contract: Contract, excludeDebugFields: boolean): object {
  const { templateId, contractId, blob, synchronizerId, packageName, payload, createdAt } = contract
  const debug = { debugPackageName: packageName, debugPayload: payload, debugCreatedAt: createdAt }
  return { templateId, contractId, createdEventBlob: blob, synchronizerId, ...(!excludeDebugFields && debug) }
}

/** What every transfer needs: the rules, the newest round that is open, and the newest configuration for external parties. */
export async function transferContext({ dso, now }: RouteContext, body: Json): Promise<ChoiceContext> {
  const round = await dso.usableRound(await now())
  if (round === undefined) throw notFound('No open usable OpenMiningRound found.')
  return createChoiceContext(body)
    .add('amulet-rules', await dso.only(templates.amuletRules))
    .add('open-round', round)
    .add('external-party-config-state', await latestConfigState(dso))
}

/** The one that lives longest. */
export async function latestConfigState(dso: RouteContext['dso']): Promise<Contract | undefined> {
  const states = await dso.all(templates.externalPartyConfigState)
  return states.toSorted((one, other) => archiveTime(other) - archiveTime(one))[0]
}

const archiveTime = ({ payload }: Contract): number => Date.parse(payload.targetArchiveAfter)

/** Of the factory of all transfers and allocations. */
export async function factoryRules({ dso }: RouteContext): Promise<Contract> {
  const rules = await dso.only(templates.externalPartyAmuletRules)
  if (rules === undefined) throw notFound('No ExternalPartyAmuletRules found.')
  return rules
}

/** A transfer or an allocation that waits for its second step, with the Amulet that is locked for it. */
export type TwoSteps = {
  /** For messages. */
  readonly name: string
  readonly lockedAmulet: string | undefined
  readonly expiry: string | undefined
  /** Whether the choice is impossible without the locked Amulet. */
  readonly needsLocked: boolean
  /** Whose featured-app right counts. */
  readonly featuredProvider?: string | undefined
}

export async function twoStepContext(routes: RouteContext, steps: TwoSteps, body: Json): Promise<BuiltContext> {
  const { lockedAmulet: id, needsLocked, featuredProvider } = steps
  const locked = id === undefined ? undefined : await routes.dso.byId(templates.lockedAmulet, id)
  if (locked === undefined) {
    if (needsLocked) {
      const words = `LockedAmulet 'Some(ContractId(${id}))' not found for ${steps.name}, which expires on Some(${steps.expiry})`
      throw notFound(words)
    }
    return createChoiceContext(body).addFlag('expire-lock', false).build()
  }
  return (await transferContext(routes, body))
    .disclose(locked)
    .addFlag('expire-lock', true)
    .add('featured-app-right', await featuredRightOf(routes, featuredProvider))
    .build()
}

export async function featuredRightOf(
  { dso }: RouteContext,
  provider: string | undefined,
): Promise<Contract | undefined> {
  if (provider === undefined) return undefined
  return (await dso.all(templates.featuredAppRight)).find(({ payload }) => payload.provider === provider)
}
