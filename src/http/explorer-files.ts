// The explorer: a page and its files, made by tools/bundle.mjs. Each is read from disk when somebody asks for the first
// time, so a node whose explorer nobody opens pays nothing for it; all of them are a mebibyte.
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { unlessKnown } from '../api/descriptions/documents.ts'
import { coded, type HttpResponse } from '../api/errors/error-response.ts'

export type ExplorerFiles = {
  /** The page, which finds out by itself what its address means. */
  page(headers: IncomingHttpHeaders): Promise<HttpResponse>
  /** A file of the page, for a path below `/explorer`; the page for any other path. */
  at(path: string, headers: IncomingHttpHeaders): Promise<HttpResponse>
}

/** What the bundle says about its files, by name. */
type Manifest = Readonly<Record<string, { readonly type: string; readonly etag: string }>>

const pageName = 'index.html'
const filesPath = 'files/'
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Nothing from elsewhere, nothing inline; ledger texts cannot become markup or script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const safety = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const missing = coded(
  503,
  'EXPLORER_NOT_BUILT',
  'The explorer is not built. In a clone, `node tools/ready.mjs --bundle` builds it.',
)
const unknownFile = coded(404, 'EXPLORER_FILE_NOT_FOUND', 'The explorer has no such file')

/** Beside the bundle, or where a clone has it. */
function folderOf(moduleUrl: string): URL {
  return new URL(moduleUrl.endsWith('.ts') ? '../../dist/explorer/' : './explorer/', moduleUrl)
}

export function createExplorerFiles(folder = folderOf(import.meta.url)): ExplorerFiles {
  let manifest: Promise<Manifest> | undefined
  const bodies = new Map<string, Promise<Buffer | undefined>>()

  function bodyOf(name: string): Promise<Buffer | undefined> {
    const known = bodies.get(name) ?? readFile(new URL(name, folder)).catch(() => undefined)
    bodies.set(name, known)
    return known
  }

  function loadManifest(): Promise<Manifest> {
    manifest ??= readFile(new URL('files.json', folder), 'utf8')
      .then((text) => JSON.parse(text) as Manifest)
      .catch((error) => {
        manifest = undefined
        throw error
      })
    return manifest
  }

  async function file(name: string, headers: IncomingHttpHeaders): Promise<HttpResponse> {
    const files = await loadManifest().catch(() => undefined)
    if (files === undefined) return missing
    const known = Object.hasOwn(files, name) ? files[name] : undefined
    if (known === undefined) return unknownFile
    const [encoding, suffix] = encodings.find(([name]) => accepts(headers, name)) ?? ['', '']
    const caching = name === pageName ? 'no-cache' : 'public, max-age=31536000, immutable'
    const described: HttpResponse = {
      status: 200,
      type: known.type,
      body: '',
      headers: {
        ...safety,
        etag: `"${known.etag}${suffix}"`,
        'cache-control': caching,
        vary: 'accept-encoding',
        ...(encoding !== '' && { 'content-encoding': encoding }),
      },
    }
    const answer = unlessKnown(described, headers)
    if (answer.status !== 200) return answer
    // A clone may have built another bundle meanwhile.
    const body = await bodyOf(name + suffix)
    if (body !== undefined) return { ...answer, body }
    manifest = undefined
    bodies.clear()
    return unknownFile
  }

  return {
    page: (headers) => file(pageName, headers),
    at: (path, headers) => file(path.startsWith(filesPath) ? path.slice(filesPath.length) : pageName, headers),
  }
}

function accepts({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders, encoding: string): boolean {
  const wanted = String(accepted)
    .split(',')
    .map((part) => part.trim().toLowerCase())
  return wanted.some((part) => part.split(';')[0]!.trim() === encoding && !/;\s*q=0(\.0*)?$/.test(part))
}
