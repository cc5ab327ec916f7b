// What Canton's services add to the context of their errors, by operation: the log context that each of them keeps.
import { codesFoundByNode, type ErrorCode, type LedgerError } from '../../base/errors.ts'

export type ServiceContext = {
  /** Whether the error is logged in the name of the node: then Canton writes its name without quotes. */
  isFoundByNode(error: LedgerError): boolean
  /** Empty where the error is found outside the request. */
  contextOf(error: LedgerError): Readonly<Record<string, string>>
}

/** A change of users is numbered, although nobody can ask for it. */
const numbered: ReadonlySet<string> = new Set([
  'POST /v2/users',
  'PATCH /v2/users/{user-id}',
  'DELETE /v2/users/{user-id}',
  'POST /v2/users/{user-id}/rights',
  'PATCH /v2/users/{user-id}/rights',
])

const servicesOfNode = [
  /^GET \/v2\/(authenticated-user|parties)$/,
  /^\w+ \/v2\/(idps|package-vetting|dars|pruning|state|time|events|contracts|interactive-submission\/preferred-package)/,
  /^POST \/v2\/packages/,
]

/** Filters are resolved, and offsets compared, within the request where elements are streamed or come in pages. */
const readsInRequest = /^\w+ \/v2\/(updates(\/flats|\/trees|\/get-updates-page)?|state\/active-contracts(-page)?)$/
const codesOfFilters: ReadonlySet<ErrorCode> = new Set([
  'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
  'PACKAGE_NAMES_NOT_FOUND',
])
const codesOfOffsets: ReadonlySet<ErrorCode> = new Set(['OFFSET_AFTER_LEDGER_END', 'PARTICIPANT_PRUNED_DATA_ACCESSED'])

type Request = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly newUuid: () => string
}

export function serviceContextOf(operation: string, { params, query, body, newUuid }: Request): ServiceContext {
  const packageId = params['package-id']
  const parties = partiesOf(operation, { params, query, body })
  const context = {
    ...(packageId !== undefined && { packageId: `'${packageId}'` }),
    ...(parties && { parties: `[${parties.map((party) => `'${party}'`).join(', ')}]` }),
    ...(numbered.has(operation) && { submissionId: `'${newUuid()}'` }),
  }
  return {
    isFoundByNode({ code, details: { foundBy } }) {
      if (foundBy !== undefined) return foundBy === 'node'
      if (codesOfFilters.has(code)) return !readsInRequest.test(operation)
      if (codesOfOffsets.has(code) && readsInRequest.test(operation)) return false
      if (code === 'UPDATE_NOT_FOUND') return operation.includes('by-id')
      return codesFoundByNode.has(code) || servicesOfNode.some((service) => service.test(operation))
    },
    // A token is judged before the service is asked.
    contextOf: ({ code, details: { foundBy } }) => (foundBy === 'node' || code === 'INVALID_TOKEN' ? {} : context),
  }
}

function partiesOf(
  operation: string,
  { params, query, body }: Omit<Request, 'newUuid'>,
): readonly string[] | undefined {
  if (operation === 'GET /v2/parties/{party}') return [params.party!, ...((query.parties ?? []) as string[])]
  if (operation !== 'POST /v2/parties' || body === undefined) return undefined
  return [(body as { partyIdHint: string }).partyIdHint]
}
