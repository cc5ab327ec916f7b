// What is active now: contracts of a template or an interface, one contract, contracts with a key.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { type Json, type Participant, Refused } from '../participants.ts'
import { type ContractKey, identifierIn } from '../script-values.ts'
import { contractIdIn, fieldsIn, int64In, listIn, textIn, typeRepIn } from '../shapes.ts'
import type { AnswerQuestion, Asking, Questions } from './question.ts'

const queryContracts: AnswerQuestion = async (payload, asking) => {
  const [parties, template] = fieldsIn(payload, 2, 'QueryACS')
  const templateId = typeRepIn(template)
  const found = await contractsOf(listIn(parties, textIn), templateId, asking)
  return asking.values.list(found.map((contract) => idAndTemplate(contract, templateId, asking)))
}

const queryContractId: AnswerQuestion = async (payload, asking) => {
  const { values } = asking
  const [parties, template, id] = fieldsIn(payload, 3, 'QueryContractId')
  const templateId = typeRepIn(template)
  const wanted = contractIdIn(id)
  const found = (await contractsOf(listIn(parties, textIn), templateId, asking)).find(
    ({ contractId }) => contractId === wanted,
  )
  if (found === undefined) return values.optional(undefined)
  const argument = values.anyTemplate(templateId, values.contractFromJson(templateId, found.createArgument))
  const blob = Buffer.from(found.createdEventBlob, 'base64').toString('hex')
  return values.optional(values.tuple3(argument, values.typeRep(identifierIn(found.templateId)), blob))
}

const queryInterface: AnswerQuestion = async (payload, asking) => {
  const { values } = asking
  const [parties, interfaceRep] = fieldsIn(payload, 2, 'QueryInterface')
  const views = await viewsOf(listIn(parties, textIn), typeRepIn(interfaceRep), asking)
  return values.list(views.map(([id, view]) => values.tuple2(values.contractId(id), values.optional(view))))
}

const queryInterfaceContractId: AnswerQuestion = async (payload, asking) => {
  const [parties, interfaceRep, id] = fieldsIn(payload, 3, 'QueryInterfaceContractId')
  const wanted = contractIdIn(id)
  const views = await viewsOf(listIn(parties, textIn), typeRepIn(interfaceRep), asking)
  return asking.values.optional(views.find(([contractId]) => contractId === wanted)?.[1])
}

const queryByKey =
  (isLegacy: boolean): AnswerQuestion =>
  async (payload, asking) => {
    const { values } = asking
    const [parties, template, key] = fieldsIn(payload, 3, 'QueryByKey')
    const templateId = typeRepIn(template)
    const [newest] = await contractsWithKey(
      listIn(parties, textIn),
      templateId,
      values.contractKeyIn(key, isLegacy),
      asking,
    )
    return values.optional(newest && idAndTemplate(newest, templateId, asking))
  }

const queryNByKey: AnswerQuestion = async (payload, asking) => {
  const { values } = asking
  const [parties, template, key, limit] = fieldsIn(payload, 4, 'QueryNByKey')
  const templateId = typeRepIn(template)
  const found = await contractsWithKey(listIn(parties, textIn), templateId, values.contractKeyIn(key, false), asking)
  return values.list(
    found.slice(0, Number(int64In(limit))).map((contract) => idAndTemplate(contract, templateId, asking)),
  )
}

function idAndTemplate(contract: Json, templateId: Identifier, { values }: Asking): LfValue {
  const argument = values.contractFromJson(templateId, contract.createArgument)
  return values.tuple2(values.contractId(contract.contractId), values.anyTemplate(templateId, argument))
}

/** Newest first. */
async function contractsWithKey(
  parties: readonly string[],
  templateId: Identifier,
  { key }: ContractKey,
  asking: Asking,
): Promise<Json[]> {
  const { values } = asking
  const packageName = values.packageOf(templateId.packageId)?.name ?? ''
  const wanted = values.hash.keyHash({ packageName, templateId, ...key })
  const hashOf = ({ contractKeyHash }: Json) => Buffer.from(contractKeyHash ?? '', 'base64').toString('hex')
  return (await contractsOf(parties, templateId, asking)).filter((each) => hashOf(each) === wanted).reverse()
}

function contractsOf(parties: readonly string[], templateId: Identifier, asking: Asking): Promise<Json[]> {
  const value = { templateId: asking.values.reference(templateId), includeCreatedEventBlob: true }
  return activeContracts(parties, { TemplateFilter: { value } }, asking)
}

/** Undefined for a view that could not be computed. */
async function viewsOf(
  parties: readonly string[],
  interfaceId: Identifier,
  asking: Asking,
): Promise<[contractId: string, view: LfValue | undefined][]> {
  const { values } = asking
  const viewType = values.viewTypeOf(interfaceId)
  const value = { interfaceId: values.reference(interfaceId), includeInterfaceView: true }
  const contracts = await activeContracts(parties, { InterfaceFilter: { value } }, asking)
  return contracts.flatMap(({ contractId, interfaceViews = [] }) =>
    interfaceViews.map(({ viewStatus, viewValue }: Json): [string, LfValue | undefined] => {
      const isComputed = (viewStatus?.code ?? 0) === 0 && viewValue !== undefined && viewValue !== null
      return [contractId, isComputed ? values.fromJson(viewType, viewValue) : undefined]
    }),
  )
}

/** The created events of all contracts that match, in the order of the ledger. */
async function activeContracts(parties: readonly string[], identifierFilter: object, { participants }: Asking) {
  const participant = participants.of(parties)
  const filters = { cumulative: [{ identifierFilter }] }
  const eventFormat = { filtersByParty: Object.fromEntries(parties.map((party) => [party, filters])), verbose: false }
  const { offset } = await participant.call('GET', '/v2/state/ledger-end')
  if (offset === 0) return []
  const entries = await entriesAt(participant, { activeAtOffset: offset, eventFormat })
  return entries.flatMap(({ contractEntry }): Json[] => contractEntry?.JsActiveContract?.createdEvent ?? [])
}

/** Page by page; as one list from participants that have no pages. Canton refuses an empty token. */
async function entriesAt(participant: Participant, request: object): Promise<Json[]> {
  const entries: Json[] = []
  let pageToken = ''
  do {
    let page: Json
    try {
      page = await participant.call('POST', '/v2/state/active-contracts-page', {
        ...request,
        ...(pageToken !== '' && { pageToken }),
      })
    } catch (error) {
      if (!(error instanceof Refused) || error.error.code !== undefined || error.error.status !== 404) throw error
      return participant.call('POST', '/v2/state/active-contracts', request)
    }
    entries.push(...page.activeContracts)
    pageToken = page.nextPageToken ?? ''
  } while (pageToken !== '')
  return entries
}

export const queryQuestions: Questions = [
  ['QueryACS 1', queryContracts],
  ['QueryContractId 1', queryContractId],
  ['QueryInterface 1', queryInterface],
  ['QueryInterfaceContractId 1', queryInterfaceContractId],
  ['QueryByKey 1', queryByKey(true)],
  ['QueryByKey 2', queryByKey(false)],
  ['QueryNByKey 1', queryNByKey],
]
