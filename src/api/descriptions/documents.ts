// The API descriptions, each rendered once: routes do not change while the node runs, and neither does a package with a
// given id. Answers carry an ETag.
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import { createQueue } from '../../base/queue.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { HttpResponse } from '../errors/error-response.ts'
import type { Route } from '../route.ts'

export type Documents = {
  page(): Promise<HttpResponse>
  openApi(): Promise<HttpResponse>
  /** For validators: says where answers have null. */
  strictOpenApi(): Promise<HttpResponse>
  asyncApi(): Promise<HttpResponse>
  /** With the types of one package instead of arbitrary Daml values; refuses an unknown package name. */
  openApiFor(packageName: string): Promise<HttpResponse>
  /** The types of one package, by its id or its name. */
  typesOf(packageNameOrId: string): Promise<HttpResponse>
}

/** Size of the cache of package descriptions; the oldest are evicted. */
const packageTextBytesMax = 32 * 1024 * 1024
/** Limit for one package. The largest published one has 1.7 MB of code, and less of types. */
const textBytesMax = 16 * 1024 * 1024

export function createDocuments(routes: readonly Route[], ownVersion: string, ledger: Ledger, clock: Clock): Documents {
  const openApiDocument = async (isStrict = false) =>
    (await import('./openapi.ts')).openApiDocument(routes, ownVersion, isStrict)
  const openApi = once(async () => json(JSON.stringify(await openApiDocument())))
  const strictOpenApi = once(async () => json(JSON.stringify(await openApiDocument(true))))
  const asyncApi = once(async () => {
    const { asyncApiDocument } = await import('./asyncapi.ts')
    return json(JSON.stringify(asyncApiDocument(routes, ownVersion)))
  })
  const page = once(async () => {
    const { docsPage } = await import('./docs-page.ts')
    return tagged('text/html; charset=utf-8', docsPage(await openApiDocument(), routes))
  })

  const ofPackages = new Map<string, { rendering: Promise<HttpResponse>; bytes: number }>()
  let bytes = 0
  const oneByOne = createQueue() // Rendering one takes a whole CPU and much memory.

  async function describe(what: 'openapi' | 'types', nameOrId: string): Promise<HttpResponse> {
    const { describedPackage, packageDescription, TooLarge } = await import('./package-description.ts')
    const packageId = await describedPackage(nameOrId, ledger, what === 'types')
    const id = `${what} ${packageId}`
    const known = ofPackages.get(id)
    if (known !== undefined) return known.rendering
    const rendering = oneByOne(async () => {
      const general = what === 'openapi' ? await openApiDocument() : undefined
      const wanted = { packageId, general, bytesMax: textBytesMax }
      return json(await packageDescription(wanted, ledger.packages.dalf, clock))
    })
    const entry = { rendering, bytes: 0 }
    ofPackages.set(id, entry)
    try {
      entry.bytes = (await rendering).body.length
      bytes += entry.bytes
      makeRoom()
    } catch (error) {
      if (!(error instanceof TooLarge)) ofPackages.delete(id)
      throw error
    }
    return rendering
  }

  function makeRoom(): void {
    for (const [id, entry] of ofPackages) {
      if (bytes <= packageTextBytesMax) return
      if (entry.bytes === 0) continue // Still being rendered, or refused.
      ofPackages.delete(id)
      bytes -= entry.bytes
    }
  }

  return {
    page,
    openApi,
    strictOpenApi,
    asyncApi,
    openApiFor: (name) => describe('openapi', name),
    typesOf: (nameOrId) => describe('types', nameOrId),
  }
}

/** The document, or 304 if the client has it. */
export function unlessKnown(document: HttpResponse, { 'if-none-match': known }: IncomingHttpHeaders): HttpResponse {
  const etag = document.headers?.etag
  const tags = known?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (etag === undefined || tags === undefined || !(tags.includes(etag) || tags.includes('*'))) return document
  return { ...document, status: 304, body: '' }
}

const json = (body: string | Buffer): HttpResponse => tagged('application/json', body)

/** As bytes, so that a thousand clients that do not read share them. */
function tagged(type: string, text: string | Buffer): HttpResponse {
  const body = Buffer.from(text)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  // Package descriptions are for callers that may list packages, so no shared cache may keep them.
  return { status: 200, type, body, headers: { etag, 'cache-control': 'private, no-cache' } }
}

/** Retries after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}
