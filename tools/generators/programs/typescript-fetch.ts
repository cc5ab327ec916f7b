// Written against the names that Canton's document gives to the classes of openapi-generator's typescript-fetch.
import {
  Configuration,
  DefaultApi,
  type EventFormat,
  type JsSubmitAndWaitForTransactionRequest,
  TransactionFormatTransactionShapeEnum,
} from './generated/index'

const party = 'alice::1220'
const api = new DefaultApi(new Configuration({ basePath: 'http://127.0.0.1:7575' }))
const transactionShape = TransactionFormatTransactionShapeEnum.TransactionShapeAcsDelta
const eventFormat: EventFormat = {
  filtersByParty: { [party]: { cumulative: [{ identifierFilter: { wildcardFilter: { value: {} } } }] } },
}

export async function everything(createArguments: unknown): Promise<string[]> {
  const jsSubmitAndWaitForTransactionRequest: JsSubmitAndWaitForTransactionRequest = {
    commands: {
      commandId: 'one',
      actAs: [party],
      commands: [{ createCommand: { templateId: '#q:Iou:Iou', createArguments } }],
    },
    transactionFormat: { eventFormat, transactionShape },
  }
  const { transaction } = await api.postV2CommandsSubmitAndWaitForTransaction({ jsSubmitAndWaitForTransactionRequest })
  const updates = await api.postV2Updates({
    getUpdatesRequest: { beginExclusive: 0, updateFormat: { includeTransactions: { eventFormat, transactionShape } } },
    limit: 10,
    streamIdleTimeoutMs: 100,
  })
  const { user } = await api.postV2Users({
    createUserRequest: { user: { id: 'app' }, rights: [{ kind: { canActAs: { value: { party } } } }] },
  })
  const { rights } = await api.getV2UsersUserIdRights({ userId: user.id })
  const { identityProviderConfig } = await api.postV2Idps({
    createIdentityProviderConfigRequest: {
      identityProviderConfig: {
        identityProviderId: 'a',
        issuer: 'https://a.example',
        jwksUrl: 'https://a.example/keys',
      },
    },
  })
  const contracts = await api.postV2StateActiveContracts({
    getActiveContractsRequest: { activeAtOffset: 7, eventFormat },
  })
  const entries = contracts.flatMap(({ contractEntry }) =>
    contractEntry && 'jsActiveContract' in contractEntry
      ? [contractEntry.jsActiveContract.createdEvent.contractId]
      : [],
  )
  return [transaction.updateId, `${updates.length} ${rights?.length}`, identityProviderConfig.issuer, ...entries]
}
