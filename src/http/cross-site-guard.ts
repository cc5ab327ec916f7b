// Protects a node without tokens from web pages its developer visits. A page can send requests to this machine
// (text/plain needs no preflight), and can read the answers once its name resolves here (DNS rebinding). So Host must
// be a name of this node, and Origin a page of this machine or one from the settings: a page can choose neither.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { DecodeError } from '../api/wire/decode.ts'
import { printable } from '../api/wire/printable.ts'
import type { Settings } from '../base/settings.ts'

/** Open to everyone: they reveal nothing about the ledger, and monitoring uses its own host names. */
const open: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics'])

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Throws a 403 for a request that a foreign page may have sent; undefined if tokens protect the node. */
export function createCrossSiteGuard({ auth, http }: Settings): ((request: IncomingMessage) => void) | undefined {
  if (auth.mode !== 'off') return undefined
  const names = new Set([...http.hostNames, http.host].map((name) => name.toLowerCase()))
  const origins = new Set(http.corsOrigins)

  /** Unlike a name, an address cannot be rebound. */
  function isOwnName(host: string): boolean {
    const name = URL.parse(`http://${host}`)?.hostname
    if (name === undefined) return false
    return loopback.test(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0 || names.has(name) || names.has('*')
  }

  function isOwnPage(origin: string, host: string | undefined): boolean {
    if (origins.has('*') || origins.has(origin)) return true
    const page = URL.parse(origin)
    return page !== null && (page.host === host || loopback.test(page.hostname))
  }

  return ({ method, url = '/', headers }) => {
    if (open.has(url)) return
    const { host, origin } = headers
    if (host !== undefined && !isOwnName(host)) throw new DecodeError(otherName(host), 403, 'HOST_NAME_UNKNOWN')
    const isPage = origin === undefined ? headers['sec-fetch-site'] === 'cross-site' && !isReading(method) : true
    if (isPage && !isOwnPage(origin ?? '', host)) throw new DecodeError(foreignPage, 403, 'FOREIGN_PAGE')
  }
}

/** Without an Origin, the browser shows the answer only to its user. */
function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

const foreignPage =
  'This node requires no token, so it answers only pages of this machine; name others in http.corsOrigins'

function otherName(host: string): string {
  const name = printable(host.replace(/:\d+$/, ''))
  return (
    'This node requires no token, so it answers only requests that call it localhost, by its address, or by a name ' +
    `in http.hostNames; add ${JSON.stringify(name)} there (TALLYSTICK_HTTP_HOST_NAMES) if it is meant`
  )
}
