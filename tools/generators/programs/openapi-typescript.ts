// Written against the names that Canton's document gives to the types of openapi-typescript.
import type { components, operations, paths } from './generated/api.js'

type Schemas = components['schemas']
type AnswerOf<Id extends keyof operations> = operations[Id]['responses'] extends {
  200: { content: { 'application/json': infer Answer } }
}
  ? Answer
  : never

export function commandsOf(party: string, createArguments: unknown): Schemas['JsSubmitAndWaitForTransactionRequest'] {
  const create: Schemas['CreateCommand'] = { templateId: '#quickstart:Iou:Iou', createArguments }
  const commands: Schemas['JsCommands'] = {
    commands: [{ CreateCommand: create }],
    commandId: 'one',
    actAs: [party],
    deduplicationPeriod: { DeduplicationDuration: { value: { seconds: 60, nanos: 0 } } },
  }
  return { commands, transactionFormat: { eventFormat: eventFormatOf(party), transactionShape: acsDelta } }
}

const acsDelta: Schemas['TransactionFormat']['transactionShape'] = 'TRANSACTION_SHAPE_ACS_DELTA'

export function eventFormatOf(party: string): Schemas['EventFormat'] {
  const wildcard: Schemas['WildcardFilter1'] = { includeCreatedEventBlob: true }
  const template: Schemas['TemplateFilter'] = { value: { templateId: '#quickstart:Iou:Iou' } }
  const identifierFilter: Schemas['IdentifierFilter'] = { WildcardFilter: { value: wildcard } }
  return {
    filtersByParty: {
      [party]: { cumulative: [{ identifierFilter }, { identifierFilter: { TemplateFilter: template } }] },
    },
    verbose: false,
  }
}

export function updatesOf(party: string): paths['/v2/updates']['post']['requestBody']['content']['application/json'] {
  const updateFormat: Schemas['UpdateFormat'] = {
    includeTransactions: { eventFormat: eventFormatOf(party), transactionShape: acsDelta },
  }
  return { beginExclusive: 0, endInclusive: 10, updateFormat }
}

export const limits: NonNullable<operations['postV2Updates']['parameters']['query']> = {
  limit: 10,
  stream_idle_timeout_ms: 100,
}

export function createdIn(updates: AnswerOf<'postV2Updates'>): string[] {
  return updates.flatMap(({ update }) => {
    if (update === undefined || !('Transaction' in update)) return []
    const { events, commandId }: Schemas['JsTransaction'] = update.Transaction.value
    const command: string | undefined = commandId
    return events.flatMap((event) => ('CreatedEvent' in event ? [`${command} ${event.CreatedEvent.contractId}`] : []))
  })
}

export const user: Schemas['CreateUserRequest'] = {
  user: { id: 'app', primaryParty: 'alice::1220', metadata: { annotations: { team: 'a' } } },
  rights: [{ kind: { CanActAs: { value: { party: 'alice::1220' } } } }, { kind: { ParticipantAdmin: { value: {} } } }],
}
export const userIdOf = ({ user }: AnswerOf<'postV2Users'>): string => user.id
export const rightsOf = ({ rights = [] }: AnswerOf<'getV2UsersUser-idRights'>): Schemas['Kind'][] =>
  rights.flatMap(({ kind }) => (kind === undefined ? [] : [kind]))

export const provider: Schemas['CreateIdentityProviderConfigRequest'] = {
  identityProviderConfig: {
    identityProviderId: 'acme',
    issuer: 'https://acme.example',
    jwksUrl: 'https://acme.example/keys',
  },
}
export const issuersOf = ({ identityProviderConfigs }: AnswerOf<'getV2Idps'>): string[] =>
  identityProviderConfigs.map(({ issuer }) => issuer)

export const contractsAt: Schemas['GetActiveContractsRequest'] = { activeAtOffset: 7, eventFormat: eventFormatOf('a') }

export function contractsOf(answer: AnswerOf<'postV2StateActive-contracts'>): Schemas['CreatedEvent'][] {
  return answer.flatMap(({ contractEntry }) =>
    contractEntry !== undefined && 'JsActiveContract' in contractEntry
      ? [contractEntry.JsActiveContract.createdEvent]
      : [],
  )
}

export function reasonOf(
  error: operations['getV2Version']['responses']['default']['content']['application/json'],
): string {
  const trace: string | undefined = error.traceId
  const code: number | undefined = error.grpcCodeValue
  const undecodable: operations['getV2Version']['responses'][400]['content'] = { 'text/plain': 'Invalid value' }
  return `${error.code} ${error.cause} ${trace} ${code} ${undecodable['text/plain']}`
}
