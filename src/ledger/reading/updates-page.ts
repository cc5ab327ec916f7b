// Updates page by page. Bounds, tokens, quirks and error texts mirror Canton's IndexServiceImpl.updatesPage and
// UpdatesPageToken.

import { invalidArgument, invalidField, LedgerError, missingField } from '../../base/errors.ts'
import { pageBytesMax } from '../../base/limits.ts'
import type { Placed } from './following/tailing.ts'
import { type Reader, type ReadHints, readerOf } from './reader.ts'
import type { ReadingParts } from './reading-parts.ts'
import { checkNamesOfUpdates, checkUpdateFormat } from './requests/format-checks.ts'
import { checkNonNegative, checkNotAfterEnd, checkNotPruned, checkPositive } from './requests/offset-checks.ts'
import type { UpdateFormat, UpdatesPageQuery } from './requests/queries.ts'
import {
  checkPageSize,
  pageJson,
  readToken,
  type TokenHead,
  tokenHead,
  updateFormatText,
  writeToken,
} from './requests/read-tokens.ts'
import { updateFormatShown, withRequest } from './requests/request-context.ts'
import { readUpdates, type UpdatesRange } from './rows/update-rows.ts'

/** The bounds of the previous page. */
type Reached = { readonly lowest: bigint; readonly highest: bigint }

type Page = Reached & { readonly placed: readonly Placed[]; readonly hasNext: boolean }

/** `count` is one more than the page size, to find out whether there are more. */
type Wanted = { readonly count: number; readonly reader: Reader }

/** `isCut` if the page reached its limit in bytes. */
type Found = { readonly placed: readonly Placed[]; readonly isCut: boolean }

const never = new AbortController().signal

// Updates on a page, as in Canton.
const usualPage = 100
const pageMax = 2000

export function createUpdatesPage(parts: ReadingParts) {
  const { end, contents, participantId } = parts
  const bytesMax = pageBytesMax(parts.limits)
  const { formats: compile } = parts.caches

  /** `check` throws if the range is pruned; it runs before and after reading. */
  async function placedIn(
    range: UpdatesRange,
    format: UpdateFormat,
    { count, reader }: Wanted,
    check: () => void,
  ): Promise<Found> {
    const placed: Placed[] = []
    const all = { placed, isCut: false }
    if (range.after >= range.upTo) return all
    const known = await contents((found) => checkNamesOfUpdates(format, found))
    const { elements } = compile({ format, form: 'transaction', wrapping: 'element' }, known)
    if (elements === undefined) return all
    check()
    const { account, signal } = reader
    let [bytes, taken] = [0, 0]
    for await (const rows of readUpdates(parts, elements.search, range, reader)) {
      for (const one of await elements.of(rows)) {
        if (placed.length >= count) break
        if (placed.length > 0 && bytes + one.element.length > bytesMax) {
          check()
          return { placed, isCut: true }
        }
        bytes += one.element.length
        placed.push(one)
      }
      await account.take(bytes - taken, signal)
      taken = bytes
      if (placed.length >= count || signal.aborted) break
    }
    check()
    return all
  }

  function checkRange({ after, upTo }: UpdatesRange): void {
    checkNotPruned(after, end.prunedUpTo(), `Transactions request from ${after + 1n} to ${upTo} precedes`)
  }

  async function ascending(query: UpdatesPageQuery, format: UpdateFormat, wanted: Wanted, from: Reached | undefined) {
    const size = wanted.count - 1
    const upTo = query.endInclusive ?? (await end.latest()).offset
    const after = from?.highest ?? query.beginExclusive ?? end.prunedUpTo()
    const range = { after, upTo, descending: false }
    const { placed, isCut } = await placedIn(range, format, wanted, () => checkRange(range))
    if (isCut) return { placed, lowest: after, highest: placed.at(-1)!.offset, hasNext: true }
    const next = placed[size]?.offset
    return {
      placed: placed.slice(0, size),
      lowest: after,
      highest: next === undefined ? upTo : next - 1n,
      // Without an end, the client can come back for new updates.
      hasNext: next !== undefined || query.endInclusive === undefined,
    }
  }

  /** Without a begin, updates pruned meanwhile are simply missing. */
  async function descending(query: UpdatesPageQuery, format: UpdateFormat, wanted: Wanted, from: Reached | undefined) {
    const size = wanted.count - 1
    const upTo = from?.lowest ?? query.endInclusive ?? (await end.latest()).offset
    const after = query.beginExclusive ?? end.prunedUpTo()
    const range = { after, upTo, descending: true }
    const check = () => (query.beginExclusive === undefined ? undefined : checkRange(range))
    const { placed, isCut } = await placedIn(range, format, wanted, check)
    if (isCut) return { placed, lowest: placed.at(-1)!.offset - 1n, highest: upTo, hasNext: true }
    const next = placed[size]?.offset
    return { placed: placed.slice(0, size), lowest: next ?? after, highest: upTo, hasNext: next !== undefined }
  }

  return async function page(query: UpdatesPageQuery, signal = never, hints: ReadHints = {}): Promise<string> {
    const head = tokenHead(participantId, requestText(query))
    const from = query.pageToken === '' ? undefined : readReached(query.pageToken, head)
    const { beginExclusive, endInclusive, maxPageSize, format } = query
    if (endInclusive !== undefined) checkPositive(endInclusive, 'endOffsetInclusive')
    if (beginExclusive !== undefined) checkNonNegative(beginExclusive, 'beginOffsetExclusive')
    const size = checkPageSize(maxPageSize, usualPage, pageMax)
    if (endInclusive !== undefined) {
      checkNotAfterEnd(endInclusive, (await end.latest(endInclusive)).offset, 'endOffsetInclusive')
      if (beginExclusive !== undefined && beginExclusive > endInclusive) {
        throw invalidArgument('beginOffsetExclusive is after endOffsetInclusive')
      }
    }
    if (format === undefined) throw missingField('update_format')
    checkUpdateFormat(format)
    const wanted = { count: size + 1, reader: readerOf(signal, { ...hints, elementsMax: size + 1 }) }
    const found: Page = await (query.descending ? descending : ascending)(query, format, wanted, from).catch(
      (error) => {
        throw withRequest(error, () => ({
          updateFormat: updateFormatShown(format),
          startExclusiveOpt: beginExclusive?.toString(),
          endInclusive: endInclusive?.toString(),
          maxPageSize: String(size),
          descendingOrder: String(query.descending),
          continueStreamFromIncl: from && String(query.descending ? from.lowest : from.highest + 1n),
        }))
      },
    )
    const { placed, lowest, highest, hasNext } = found
    const token = hasNext ? `"${writeToken(head, [lowest, highest])}"` : 'null'
    return pageJson(
      'updates',
      placed.map(({ element }) => element),
      `"lowestPageOffsetExclusive":${lowest},"highestPageOffsetInclusive":${highest},"nextPageToken":${token}`,
    )
  }
}

function requestText({ beginExclusive, endInclusive, maxPageSize, format, descending }: UpdatesPageQuery): string {
  const bounds = [beginExclusive, endInclusive].map((offset) => offset?.toString() ?? null)
  return JSON.stringify([bounds, maxPageSize, format && updateFormatText(format), descending])
}

function readReached(text: string, head: TokenHead): Reached {
  const token = readToken(text, head, 2)
  if (token === undefined) throw invalidField('page_token', 'Invalid page token for GetUpdatesPageRequest')
  if (!token.isOurVersion) throw invalidToken('Next page token was generated by a different Canton version')
  if (!token.isForRequest) throw invalidToken('Next page token was obtained with different request parameters')
  if (!token.isOurs) throw invalidToken('Next page token was obtained from an other participant node')
  const [lowest, highest] = token.values as [bigint, bigint]
  if (lowest < 0n) throw invalidToken('lowestPageOffsetExclusive bound is negative')
  if (highest < 0n) throw invalidToken('highestPageOffsetInclusive bound is negative')
  return { lowest, highest }
}

function invalidToken(reason: string): LedgerError {
  return new LedgerError(
    'INVALID_UPDATES_PAGE_TOKEN',
    'The submitted command contains an invalid page token. Tokens used in GetUpdatesPage requests must be taken from a ' +
      'valid GetUpdatesPageResponse and used with the same EventFormat settings, the same begin and end with the same ' +
      `Canton participant running the same Canton version. ${reason}`,
  )
}
