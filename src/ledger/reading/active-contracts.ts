// What is active at an offset, for its readers: as a stream that can be resumed, and page by page. Mirrors Canton's
// ApiStateService and ACSReader.
import { invalidField, LedgerError, missingField } from '../../base/errors.ts'
import type { ContractPosition } from '../../store/store.ts'
import { activeElementJson, type PlacedContract } from './active-elements.ts'
import { beforeAll, readActive } from './active-rows.ts'
import { seeContracts } from './contract-elements.ts'
import { placesAt } from './contract-places.ts'
import { createContractViews } from './contract-views.ts'
import { checkEventFormat, checkNames } from './event-format.ts'
import { createMatcher } from './event-matcher.ts'
import { checkNonNegative, checkNotAfterEnd, checkNotPruned } from './offset-checks.ts'
import { checkPageSize, pageJson } from './page-size.ts'
import { eventFormatText, readToken, type TokenHead, tokenHead, writeToken } from './read-tokens.ts'
import type {
  ActiveContracts,
  ActiveContractsPageQuery,
  ActiveContractsQuery,
  Elements,
  EventFormat,
} from './reading.ts'
import type { ReadingParts } from './reading-parts.ts'

export function createActiveContracts(parts: ReadingParts): ActiveContracts {
  const { store, names, end, contents, synchronizerIds, views, limits, participantId } = parts
  const contractViews = createContractViews({ views, bytesMax: limits.interfaceViewBytesMax })

  /** Checks names and offset, then reads. */
  async function* read(format: EventFormat, activeAt: bigint, after: ContractPosition) {
    const known = await contents()
    checkNames(format, known)
    checkNotAfterEnd(activeAt, end.current().offset, 'active_at_offset')
    const checkPruning = () =>
      checkNotPruned(activeAt, end.prunedUpTo(), `Active contracts request at offset ${activeAt} precedes`)
    const matcher = createMatcher(format, known)
    if (matcher === undefined || activeAt === 0n) return
    checkPruning()
    for await (const rows of readActive(parts, matcher.search, { activeAt, after })) {
      const contracts = await seeContracts({ store, names, contractViews }, rows, matcher)
      const places = await placesAt(
        store,
        contracts.map(({ row }) => row),
        activeAt,
      )
      checkPruning() // After everything was read, for what was deleted meanwhile is not to be missed.
      yield contracts.map((contract, index): PlacedContract => ({ contract, place: places[index]! }))
    }
    checkPruning()
  }

  function elementsOf(placed: readonly PlacedContract[], tokenOf: (position: ContractPosition) => string): string[] {
    return placed.map((one) => activeElementJson(one, tokenOf(one.contract.row), synchronizerIds))
  }

  async function* stream(query: ActiveContractsQuery, signal: AbortSignal): Elements {
    const { activeAtOffset, format, continuationToken } = query
    checkEventFormat(format)
    const head = tokenHead(participantId, JSON.stringify([String(activeAtOffset), eventFormatText(format)]))
    const after = continuationToken === '' ? beforeAll : readContinuation(continuationToken, head)
    checkNonNegative(activeAtOffset, 'active_at_offset')
    const tokenOf = ({ template, number }: ContractPosition) => writeToken(head, [template, number])
    for await (const contracts of read(format, activeAtOffset, after)) {
      if (signal.aborted) return
      if (contracts.length > 0) yield elementsOf(contracts, tokenOf)
    }
  }

  async function page(query: ActiveContractsPageQuery): Promise<string> {
    const { format, activeAtOffset, maxPageSize, pageToken } = query
    if (format === undefined) throw missingField('event_format')
    checkEventFormat(format)
    const size = checkPageSize(maxPageSize, limits.activeContractsPageDefault, limits.activeContractsPageMax)
    const request = JSON.stringify([activeAtOffset?.toString() ?? null, eventFormatText(format)])
    const head = tokenHead(participantId, request)
    const from = pageToken === '' ? undefined : readPage(pageToken, head)
    if (activeAtOffset !== undefined) checkNonNegative(activeAtOffset, 'active_at_offset')
    const activeAt = from?.activeAt ?? (activeAtOffset || end.current().offset)
    const contracts: PlacedContract[] = []
    for await (const some of read(format, activeAt, from ?? beforeAll)) {
      contracts.push(...some)
      if (contracts.length > size) break
    }
    const last = contracts.length > size ? contracts[size - 1]!.contract.row : undefined
    const token = last === undefined ? 'null' : `"${writeToken(head, [activeAt, last.template, last.number])}"`
    return pageJson(
      'activeContracts',
      elementsOf(contracts.slice(0, size), () => ''),
      `"activeAtOffset":${activeAt},"nextPageToken":${token}`,
    )
  }

  return { stream, page }
}

function readContinuation(text: string, head: TokenHead): ContractPosition {
  const token = readToken(text, head, 2)
  if (token === undefined) {
    throw invalidField('stream_continuation_token', 'Invalid continuation token for GetActiveContractsRequest')
  }
  const [template, number] = token.values as [bigint, bigint]
  if (token.isOurVersion && token.isOurs && token.isForRequest) return { template, number }
  throw new LedgerError(
    'INVALID_CONTINUATION_TOKEN',
    'The submitted command contains an invalid continuation token. Tokens used in ACS requests must be taken from a ' +
      'valid GetActiveContractsResponse and used with the same EventFormat settings, with the same Canton participant ' +
      'running the same Canton version.',
  )
}

function readPage(text: string, head: TokenHead): ContractPosition & { readonly activeAt: bigint } {
  const token = readToken(text, head, 3)
  if (token === undefined) throw invalidField('page_token', 'Invalid page token for GetActiveContractsPageRequest')
  if (!token.isOurs) throw invalidPageToken('The page token was prepared by a different participant.')
  if (!token.isOurVersion) throw invalidPageToken('The page token was prepared with different page API version.')
  if (!token.isForRequest) {
    throw invalidPageToken('The page token was prepared with different event_format or active_at_offset.')
  }
  const [activeAt, template, number] = token.values as [bigint, bigint, bigint]
  if (token.values.some((value) => value < 0n)) throw invalidPageToken('Invalid token contents.')
  return { activeAt, template, number }
}

function invalidPageToken(reason: string): LedgerError {
  return new LedgerError(
    'INVALID_ACS_PAGE_TOKEN',
    'The submitted command contains an invalid page token. Tokens used in ACS requests must be taken from a valid ' +
      'GetActiveContractsPageResponse and used with the same EventFormat settings, with the same Canton participant ' +
      `running the same Canton version. ${reason}`,
  )
}
