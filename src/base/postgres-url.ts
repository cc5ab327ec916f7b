// The URL of a PostgreSQL database, which may list several hosts as libpq's URLs do. Each host becomes a URL of its
// own, because the driver connects to one host only.
import { StartError } from './errors.ts'

/** Which servers a node may use: libpq's `target_session_attrs`. */
export type ServerRole = 'any' | 'primary' | 'read-write' | 'standby'

export type PostgresHost = {
  /** For the driver: the database at this host alone. */
  readonly url: string
  /** Host and port, for the log. */
  readonly name: string
}

export type PostgresAddress = {
  /** In the order in which they are tried. */
  readonly hosts: readonly PostgresHost[]
  readonly role: ServerRole
  /** The URL without credentials and parameters. */
  readonly place: string
}

/** The URL cannot be used; the message says why and holds no part of it that might be secret. */
export class PostgresUrlError extends StartError {
  readonly problem: string

  constructor(problem: string) {
    super(`the URL of the database ${problem}`)
    this.problem = problem
  }
}

/** The first is the default. A standby may lack what a client was told, so a node never takes one for the primary. */
const rolesOfPrimary: readonly ServerRole[] = ['primary', 'read-write', 'any']
/** A former primary may have what the ledger has not, so a node does not take one for a replica. */
const rolesOfReplica: readonly ServerRole[] = ['standby', 'any']

const urlParts = /^(postgres(?:ql)?):\/\/([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/

export function parsePostgresUrl(text: string, isReplica = false): PostgresAddress {
  const [, scheme, user = '', authority, path = '', query = ''] = urlParts.exec(text) ?? fail('is not a URL')
  const params = new URLSearchParams(query)
  const roles = isReplica ? rolesOfReplica : rolesOfPrimary
  const wanted = params.get('target_session_attrs') ?? roles[0]!
  const role = roles.find((one) => one === wanted) ?? fail(`target_session_attrs must be one of ${roles.join(', ')}`)
  const listed = hostsOf(authority!, params)
  for (const name of ['host', 'port', 'target_session_attrs']) params.delete(name)
  const hosts = listed.map(({ host, port }): PostgresHost => {
    const isSocket = host.startsWith('/')
    const own = new URLSearchParams(params)
    if (isSocket) own.set('host', host)
    if (isSocket && port !== '') own.set('port', port)
    const place = isSocket ? 'localhost' : `${host}${port === '' ? '' : `:${port}`}`
    const url = `${scheme}://${user}${place}${path}${own.size === 0 ? '' : `?${own}`}`
    if (!URL.canParse(url)) fail('is not a URL')
    return { url, name: isSocket ? host : place }
  })
  const place = `${scheme}://${hosts.map(({ name }) => name).join(',')}${path}`
  return { hosts, role, place }
}

type Listed = { readonly host: string; readonly port: string }

/** From the query if it names hosts, as libpq has it, and otherwise from the place where URLs have them. */
function hostsOf(authority: string, params: URLSearchParams): Listed[] {
  const inAuthority = authority.split(',').map(hostFromText)
  const hosts = params.get('host')?.split(',') ?? inAuthority.map(({ host }) => host)
  const ports = params.get('port')?.split(',') ?? (params.has('host') ? [''] : inAuthority.map(({ port }) => port))
  if (ports.length !== 1 && ports.length !== hosts.length) fail(`has ${hosts.length} hosts and ${ports.length} ports`)
  return hosts.map((host, index) => ({
    host: host === '' ? 'localhost' : host,
    port: ports.length === 1 ? ports[0]! : ports[index]!,
  }))
}

/** `host`, `host:port`, or an IPv6 address in brackets. */
function hostFromText(text: string): Listed {
  const [, host, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text) ?? fail('is not a URL')
  return { host: /^%2f/i.test(host!) ? socketFolder(host!) : host!, port }
}

function socketFolder(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return fail('is not a URL')
  }
}

function fail(problem: string): never {
  throw new PostgresUrlError(problem)
}
