// The registry of our tokens: what the token standard wants every registry to serve, below /tokens/{admin}. A registry is of one admin,
// so each admin has its own address. Answers and refusals as those of Amulet's registry.
import type { Contract, Json } from '../ledger/participant.ts'
import { type BuiltContext, createChoiceContext } from '../registry/choice-context.ts'
import { badRequest, notFound, type Route } from '../serving/route.ts'
import { instrumentFrom } from './instruments.ts'
import type { Supplies, TokenReads } from './token-reads.ts'
import { tokenTemplates } from './token-templates.ts'

export type TokenContext = { readonly tokens: TokenReads }

type TokenRoute = Route<TokenContext>

const base = '/tokens/{admin}/registry'

const supportedApis = {
  'splice-api-token-metadata-v1': 1,
  'splice-api-token-holding-v1': 1,
  'splice-api-token-transfer-instruction-v1': 1,
  'splice-api-token-allocation-v1': 1,
  'splice-api-token-allocation-instruction-v1': 1,
}

const route = (method: TokenRoute['method'], path: string, answer: TokenRoute['answer']): TokenRoute => ({
  method,
  path: `${base}/${path}`,
  access: 'anyone',
  answer,
})

/** A step that is under way, its choices, and whether it belongs to an admin. */
const steps = [
  {
    path: 'transfer-instruction/v1',
    name: 'TransferOffer',
    template: tokenTemplates.transferOffer,
    choices: ['accept', 'reject', 'withdraw'],
    instrumentOf: (payload: Json) => payload.transfer.instrumentId,
  },
  {
    path: 'allocations/v1',
    name: 'Allocation',
    template: tokenTemplates.allocation,
    choices: ['execute-transfer', 'withdraw', 'cancel'],
    instrumentOf: (payload: Json) => payload.allocation.transferLeg.instrumentId,
  },
]

export const tokenRegistryRoutes: readonly TokenRoute[] = [
  route('GET', 'metadata/v1/info', async ({ tokens }, { params }) => {
    const { admin } = await registryOf(tokens, params.admin!)
    return { adminId: admin, supportedApis: { 'splice-api-token-metadata-v1': 1 } }
  }),
  route('GET', 'metadata/v1/instruments', async ({ tokens }, { params, query }) => {
    const { instruments } = await registryOf(tokens, params.admin!)
    const { page, nextPageToken } = pageOf(instruments, query)
    const supplies = await tokens.supplies()
    const shown = page.map((contract) => instrumentJson(contract, supplies))
    return { instruments: shown, ...(nextPageToken !== undefined && { nextPageToken }) }
  }),
  route('GET', 'metadata/v1/instruments/{instrumentId}', async ({ tokens }, { params }) =>
    instrumentJson(await instrumentOf(tokens, params.admin!, params.instrumentId), await tokens.supplies()),
  ),
  route('POST', 'transfer-instruction/v1/transfer-factory', transferFactory),
  route('POST', 'allocation-instruction/v1/allocation-factory', allocationFactory),
  ...steps.flatMap(({ path, name, template, choices, instrumentOf }) =>
    choices.map((choice) =>
      route('POST', `${path}/{contractId}/choice-contexts/${choice}`, async ({ tokens }, { params, body }) => {
        const { admin } = await registryOf(tokens, params.admin!)
        const isOfAdmin = (payload: Json) => instrumentOf(payload).admin === admin
        if (await tokens.isActive(template, params.contractId!, isOfAdmin)) return createChoiceContext(body).build()
        throw notFound(`${name} '${params.contractId}' not found.`)
      }),
    ),
  ),
]

type Factory = { readonly factoryId: string; readonly choiceContext: BuiltContext }

/** Which contract a transfer begins with, and what it needs to know. */
export async function transferFactory(
  { tokens }: TokenContext,
  { params, body }: { params: Readonly<Record<string, string>>; body: Json },
): Promise<Factory & { readonly transferKind: string }> {
  const { sender, receiver, instrumentId } = body.choiceArguments?.transfer ?? {}
  if (![sender, receiver, instrumentId?.id].every((field) => typeof field === 'string')) {
    throw badRequest('Field `choiceArguments` does not contain a valid `TransferFactory_Transfer`')
  }
  const instrument = await instrumentOf(tokens, params.admin!, instrumentId.id)
  const preapproval = sender === receiver ? undefined : await preapprovalOf(tokens, instrument.payload.admin, receiver)
  const choiceContext = createChoiceContext(body).add('transfer-preapproval', preapproval).disclose(instrument).build()
  const transferKind = sender === receiver ? 'self' : preapproval === undefined ? 'offer' : 'direct'
  return { factoryId: instrument.contractId, transferKind, choiceContext }
}

async function allocationFactory(
  { tokens }: TokenContext,
  { params, body }: { params: Readonly<Record<string, string>>; body: Json },
): Promise<Factory> {
  const id = body.choiceArguments?.allocation?.transferLeg?.instrumentId?.id
  if (typeof id !== 'string') {
    throw badRequest('Field `choiceArguments` does not contain a valid `AllocationFactory_Allocate`')
  }
  const instrument = await instrumentOf(tokens, params.admin!, id)
  return { factoryId: instrument.contractId, choiceContext: createChoiceContext(body).disclose(instrument).build() }
}

type Registry = { readonly admin: string; readonly instruments: readonly Contract[] }

/** By the whole name of the admin, or by its hint if that is clear. */
async function registryOf(tokens: TokenReads, named: string): Promise<Registry> {
  const all = await tokens.all(tokenTemplates.instrument)
  const instruments = all.filter(({ payload }) => payload.admin === named || payload.admin.startsWith(`${named}::`))
  const admins = [...new Set(instruments.map(({ payload }) => payload.admin as string))]
  if (admins.length > 1) throw badRequest(`${named} may be ${admins.join(' or ')}`)
  if (admins.length === 0) throw notFound(`No instrument of ${named} found`)
  return { admin: admins[0]!, instruments }
}

async function instrumentOf(tokens: TokenReads, admin: string, id: string | undefined): Promise<Contract> {
  const { instruments } = await registryOf(tokens, admin)
  const found = instruments.find(({ payload }) => payload.id === id)
  if (found === undefined) throw notFound(`No instrument with id ${id} found`)
  return found
}

async function preapprovalOf(tokens: TokenReads, admin: string, receiver: string): Promise<Contract | undefined> {
  const preapprovals = await tokens.all(tokenTemplates.preapproval)
  return preapprovals.find(({ payload }) => payload.admin === admin && payload.receiver === receiver)
}

function instrumentJson(contract: Contract, supplies: Supplies): object {
  const instrument = instrumentFrom(contract)
  const { id, name, symbol, decimals } = instrument
  const { asOf: totalSupplyAsOf } = supplies
  return { id, name, symbol, decimals, totalSupply: supplies.of(instrument), totalSupplyAsOf, supportedApis }
}

const pageSizeDefault = 25

/** The token of a page is the id of the last instrument before it. */
function pageOf(instruments: readonly Contract[], query: URLSearchParams) {
  const size = Number(query.get('pageSize') ?? pageSizeDefault)
  if (!Number.isInteger(size) || size < 1) throw badRequest('pageSize must be a positive number')
  const after = query.get('pageToken') ?? ''
  const idOf = ({ payload }: Contract): string => payload.id
  const rest = instruments.filter((one) => idOf(one) > after).toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  const page = rest.slice(0, size)
  return { page, nextPageToken: rest.length > size ? idOf(page.at(-1)!) : undefined }
}
