// Written against the names that Canton's document gives to the functions and types of @hey-api/openapi-ts.
import {
  type CreateUserResponse,
  type EventFormat,
  getV2UsersUserIdRights,
  type JsCantonError,
  type JsGetUpdatesResponse,
  type JsSubmitAndWaitForTransactionRequest,
  postV2CommandsSubmitAndWaitForTransaction,
  postV2Idps,
  postV2StateActiveContracts,
  postV2Updates,
  postV2Users,
  type WildcardFilter1,
} from './generated/index'

const party = 'alice::1220'

const value: WildcardFilter1 = { includeCreatedEventBlob: true }
const eventFormat: EventFormat = {
  filtersByParty: { [party]: { cumulative: [{ identifierFilter: { WildcardFilter: { value } } }] } },
}

export async function submit(createArguments: unknown): Promise<string> {
  const body: JsSubmitAndWaitForTransactionRequest = {
    commands: {
      commandId: 'one',
      actAs: [party],
      commands: [{ CreateCommand: { templateId: '#q:Iou:Iou', createArguments } }],
    },
    transactionFormat: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
  }
  const { data, error } = await postV2CommandsSubmitAndWaitForTransaction({ body })
  if (data === undefined) return typeof error === 'string' ? error : reasonOf(error)
  return data.transaction.updateId
}

function reasonOf({ code, cause, ...rest }: JsCantonError): string {
  const traceId: string | undefined = rest.traceId
  return `${code}: ${cause} (${traceId})`
}

export async function updates(): Promise<string[]> {
  const { data } = await postV2Updates({
    body: {
      beginExclusive: 0,
      updateFormat: { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' } },
    },
    query: { limit: 10, stream_idle_timeout_ms: 100 },
    throwOnError: true,
  })
  return data.flatMap(idsOf)
}

function idsOf({ update }: JsGetUpdatesResponse): string[] {
  return update !== undefined && 'Transaction' in update ? [update.Transaction.value.updateId] : []
}

export async function administer(): Promise<string> {
  const { data } = await postV2Users({
    body: { user: { id: 'app' }, rights: [{ kind: { CanReadAs: { value: { party } } } }] },
    throwOnError: true,
  })
  const rights = await getV2UsersUserIdRights({ path: { 'user-id': idOf(data) }, throwOnError: true })
  const identityProviderConfig = {
    identityProviderId: 'a',
    issuer: 'https://a.example',
    jwksUrl: 'https://a.example/keys',
  }
  const provider = await postV2Idps({ body: { identityProviderConfig }, throwOnError: true })
  return `${rights.data.rights?.length} ${provider.data.identityProviderConfig.issuer}`
}

const idOf = ({ user }: CreateUserResponse): string => user.id

export async function contracts(): Promise<string[]> {
  const { data } = await postV2StateActiveContracts({ body: { activeAtOffset: 7, eventFormat }, throwOnError: true })
  return data.flatMap(({ contractEntry }) =>
    contractEntry && 'JsActiveContract' in contractEntry
      ? [contractEntry.JsActiveContract.createdEvent.contractId]
      : [],
  )
}
