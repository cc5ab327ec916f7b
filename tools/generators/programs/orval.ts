// Written against the names that Canton's document gives to the functions and types of orval.
import {
  type EventFormat,
  getV2UsersUserIdRights,
  type JsSubmitAndWaitForTransactionRequest,
  postV2CommandsSubmitAndWaitForTransaction,
  postV2Idps,
  postV2StateActiveContracts,
  postV2Updates,
  postV2Users,
  TransactionFormatTransactionShape,
} from './generated/api'

const party = 'alice::1220'
const transactionShape = TransactionFormatTransactionShape.TRANSACTION_SHAPE_ACS_DELTA

const eventFormat: EventFormat = {
  filtersByParty: { [party]: { cumulative: [{ identifierFilter: { WildcardFilter: { value: {} } } }] } },
}

export async function submit(createArguments: unknown): Promise<string> {
  const request: JsSubmitAndWaitForTransactionRequest = {
    commands: {
      commandId: 'one',
      actAs: [party],
      commands: [{ CreateCommand: { templateId: '#q:Iou:Iou', createArguments } }],
    },
    transactionFormat: { eventFormat, transactionShape },
  }
  const answer = await postV2CommandsSubmitAndWaitForTransaction(request)
  if (answer.status === 200) return answer.data.transaction.updateId
  return answer.status === 400 ? answer.data : `${answer.data.code}: ${answer.data.cause}`
}

export async function updates(): Promise<string[]> {
  const answer = await postV2Updates(
    { beginExclusive: 0, updateFormat: { includeTransactions: { eventFormat, transactionShape } } },
    { limit: 10, stream_idle_timeout_ms: 100 },
  )
  if (answer.status !== 200) return []
  return answer.data.flatMap(({ update }) =>
    update && 'Transaction' in update ? [update.Transaction.value.updateId] : [],
  )
}

export async function administer(): Promise<string> {
  const user = await postV2Users({ user: { id: 'app' }, rights: [{ kind: { CanReadAs: { value: { party } } } }] })
  if (user.status !== 200) return 'refused'
  const rights = await getV2UsersUserIdRights(user.data.user.id)
  const identityProviderConfig = {
    identityProviderId: 'a',
    issuer: 'https://a.example',
    jwksUrl: 'https://a.example/keys',
  }
  const provider = await postV2Idps({ identityProviderConfig })
  if (rights.status !== 200 || provider.status !== 200) return 'refused'
  return `${rights.data.rights?.length} ${provider.data.identityProviderConfig.issuer}`
}

export async function contracts(): Promise<string[]> {
  const answer = await postV2StateActiveContracts({ activeAtOffset: 7, eventFormat })
  if (answer.status !== 200) return []
  return answer.data.flatMap(({ contractEntry }) =>
    contractEntry && 'JsActiveContract' in contractEntry
      ? [contractEntry.JsActiveContract.createdEvent.contractId]
      : [],
  )
}
