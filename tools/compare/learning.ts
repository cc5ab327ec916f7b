// Finds out which offset of Canton's is which of ours before a request names it. Canton takes offsets that nobody sees, so
// the number itself would be another update there, or none.
import type { Correspondence } from './correspondence.ts'
import { offsetFields } from './correspondence.ts'
import { allUpdates, isCheckpoint, type OffsetRange, type Side } from './side.ts'

type Parts = {
  readonly ours: Side
  readonly canton: Side
  readonly ids: Correspondence
  /** Of a user that reads as any party. */
  readonly headers: () => Readonly<Record<string, string>>
}

export type Learning = {
  /** Pairs the offsets that the request names, where they are not known yet. */
  beforeRequest(path: string, body: unknown): Promise<void>
}

/** More would be refused. */
const listMax = 200

export function createLearning({ ours, canton, ids, headers }: Parts): Learning {
  const asked = new Set<string>()

  async function updatesOf(side: Side, [beginExclusive, endInclusive]: OffsetRange): Promise<number[]> {
    const body = JSON.stringify({ beginExclusive, endInclusive, updateFormat: allUpdates })
    const json = { ...headers(), 'content-type': 'application/json' }
    const answer = await side.send({ method: 'POST', path: `/v2/updates?limit=${listMax}`, headers: json, body })
    if (answer.status !== 200) return []
    const elements = answer.json as readonly { readonly update: Readonly<Record<string, unknown>> }[]
    return elements.filter((element) => !isCheckpoint(element)).map(({ update }) => offsetIn(update)!)
  }

  return {
    async beforeRequest(path, body) {
      for (const { offset, isUpdate } of [...offsetsInPath(path), ...offsetsInBody(body)]) {
        const gap = ids.gapAround(offset, isUpdate)
        if (gap === undefined || asked.has(String(gap.ours))) continue
        asked.add(String(gap.ours))
        const [mine, theirs] = await Promise.all([updatesOf(ours, gap.ours), updatesOf(canton, gap.canton)])
        if (mine.length === theirs.length) for (const [index, one] of mine.entries()) ids.offsets(one, theirs[index]!)
      }
    },
  }
}

/** `isUpdate` if it is the offset of an update rather than the bound of a range. */
type Named = { readonly offset: number; readonly isUpdate: boolean }

function offsetsInPath(path: string): Named[] {
  const found = /-by-offset\/(\d{1,15})(?=$|[/?])/.exec(path)
  return found === null ? [] : [{ offset: Number(found[1]), isUpdate: true }]
}

function offsetsInBody(body: unknown): Named[] {
  if (typeof body !== 'string') return offsetsIn(body, '')
  try {
    return offsetsIn(JSON.parse(body), '')
  } catch {
    return []
  }
}

function offsetsIn(value: unknown, field: string): Named[] {
  const isText = typeof value === 'string' && /^\d{1,15}$/.test(value)
  if (offsetFields.has(field) && (isText || Number.isSafeInteger(value))) {
    return [{ offset: Number(value), isUpdate: field === 'offset' }]
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return []
  return Object.entries(value).flatMap(([key, item]) => offsetsIn(item, key === 'value' ? field : key))
}

function offsetIn(update: unknown): number | undefined {
  if (typeof update !== 'object' || update === null) return undefined
  for (const [key, value] of Object.entries(update)) {
    const found = key === 'offset' ? (value as number) : offsetIn(key === 'events' ? undefined : value)
    if (found !== undefined) return found
  }
  return undefined
}
