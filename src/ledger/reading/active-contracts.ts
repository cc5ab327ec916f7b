// Active contracts at an offset for readers: as a resumable stream, and page by page. Mirrors Canton's ApiStateService
// and ACSReader.

import { invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { pageBytesMax } from '../../base/limits.ts'
import { createActiveReader, type ReadElement } from './active-reader.ts'
import { activeElementsJson } from './json/active-elements.ts'
import { once, type Reader, type ReadHints, readerOf } from './reader.ts'
import type { ReadingParts } from './reading-parts.ts'
import { checkEventFormat } from './requests/format-checks.ts'
import { checkNonNegative } from './requests/offset-checks.ts'
import type { ActiveContracts, ActiveContractsPageQuery, ActiveContractsQuery, Elements } from './requests/queries.ts'
import {
  checkPageSize,
  eventFormatText,
  pageJson,
  readToken,
  type TokenHead,
  tokenHead,
  writeToken,
} from './requests/read-tokens.ts'
import { eventFormatShown, withRequest } from './requests/request-context.ts'
import { type ActiveCursor, cursorFromValues, cursorToValues, cursorValues } from './rows/contract-sources.ts'

// Contracts on a page, as in Canton.
const usualPage = 2000
const pageMax = 10_000

export function createActiveContracts(parts: ReadingParts): ActiveContracts {
  const { end, synchronizerIds, participantId } = parts
  const bytesMax = pageBytesMax(parts.limits)
  const { read } = createActiveReader(parts)

  async function* stream(query: ActiveContractsQuery, signal: AbortSignal, hints: ReadHints = {}): Elements {
    const { activeAtOffset, format, continuationToken } = query
    checkEventFormat(format)
    const head = tokenHead(participantId, JSON.stringify([String(activeAtOffset), eventFormatText(format)]))
    const after = continuationToken === '' ? undefined : readContinuation(continuationToken, head)
    checkNonNegative(activeAtOffset, 'active_at_offset')
    const element = (one: ReadElement) =>
      activeElementsJson(one, writeToken(head, cursorToValues(one.cursor)), synchronizerIds)
    try {
      for await (const contracts of read({ format, activeAt: activeAtOffset, after }, readerOf(signal, hints))) {
        if (signal.aborted) return
        if (contracts.length > 0) yield* once(contracts.flatMap(element))
      }
    } catch (error) {
      throw withRequest(error, () => ({ filters: eventFormatShown(format) }))
    }
  }

  async function page(query: ActiveContractsPageQuery, signal = never, hints: ReadHints = {}): Promise<string> {
    const { format, activeAtOffset, maxPageSize, pageToken } = query
    if (format === undefined) throw missingField('event_format')
    checkEventFormat(format)
    const size = checkPageSize(maxPageSize, usualPage, pageMax)
    const request = JSON.stringify([activeAtOffset?.toString() ?? null, eventFormatText(format)])
    const head = tokenHead(participantId, request)
    const from = pageToken === '' ? undefined : readPage(pageToken, head)
    if (activeAtOffset !== undefined) checkNonNegative(activeAtOffset, 'active_at_offset')
    const activeAt = from?.activeAt ?? (activeAtOffset || (await end.latest()).offset)
    const reader = readerOf(signal, { ...hints, elementsMax: size + 1 })
    const { elements, last, hasMore } = await pageOf(
      read({ format, activeAt, after: from?.cursor }, reader),
      size,
      reader,
    ).catch((error) => {
      const numbers = { maxPageSize: String(size), activeAtOffset: String(activeAt) }
      throw withRequest(error, () => ({ filters: eventFormatShown(format), ...numbers }))
    })
    const token = hasMore ? `"${writeToken(head, [activeAt, ...cursorToValues(last!)])}"` : 'null'
    return pageJson('activeContracts', elements, `"activeAtOffset":${activeAt},"nextPageToken":${token}`)
  }

  /** Stops at `size` elements, or before the page exceeds its bytes. */
  async function pageOf(read: AsyncIterable<readonly ReadElement[]>, size: number, { account, signal }: Reader) {
    const elements: string[] = []
    let last: ActiveCursor | undefined
    let bytes = 0
    for await (const some of read) {
      const before = bytes
      for (const one of some) {
        const more = elements.length < size ? activeElementsJson(one, '', synchronizerIds) : []
        const length = more.reduce((sum, element) => sum + element.length, 0)
        const hasRoom = elements.length === 0 || bytes + length <= bytesMax
        if (more.length === 0 || !hasRoom) return { elements, last, hasMore: true }
        bytes += length
        elements.push(...more)
        last = one.cursor
      }
      await account.take(bytes - before, signal)
      if (signal.aborted) break
    }
    return { elements, last, hasMore: false }
  }

  return { stream, page }
}

const never = new AbortController().signal

function readContinuation(text: string, head: TokenHead): ActiveCursor {
  const token = readToken(text, head, cursorValues)
  if (token === undefined) {
    throw invalidField('stream_continuation_token', 'Invalid continuation token for GetActiveContractsRequest')
  }
  if (token.isOurVersion && token.isOurs && token.isForRequest) return cursorFromValues(token.values)
  throw new LedgerError(
    'INVALID_CONTINUATION_TOKEN',
    'The submitted command contains an invalid continuation token. Tokens used in ACS requests must be taken from a ' +
      'valid GetActiveContractsResponse and used with the same EventFormat settings, with the same Canton participant ' +
      'running the same Canton version.',
  )
}

function readPage(text: string, head: TokenHead): { readonly cursor: ActiveCursor; readonly activeAt: bigint } {
  const token = readToken(text, head, 1 + cursorValues)
  if (token === undefined) throw invalidField('page_token', 'Invalid page token for GetActiveContractsPageRequest')
  if (!token.isOurs) throw invalidPageToken('The page token was prepared by a different participant.')
  if (!token.isOurVersion) throw invalidPageToken('The page token was prepared with different page API version.')
  if (!token.isForRequest) {
    throw invalidPageToken('The page token was prepared with different event_format or active_at_offset.')
  }
  if (token.values.some((value) => value < 0n)) throw invalidPageToken('Invalid token contents.')
  const [activeAt, ...values] = token.values as [bigint, ...bigint[]]
  return { activeAt, cursor: cursorFromValues(values) }
}

function invalidPageToken(reason: string): LedgerError {
  return new LedgerError(
    'INVALID_ACS_PAGE_TOKEN',
    'The submitted command contains an invalid page token. Tokens used in ACS requests must be taken from a valid ' +
      'GetActiveContractsPageResponse and used with the same EventFormat settings, with the same Canton participant ' +
      `running the same Canton version. ${reason}`,
  )
}
