// The environment variables of the Participant Query Store (SCRIBE_…), as options of `tallystick query-store`: a container
// that ran the one runs the other. Options of the command line come first.
import { StartError } from '../base/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

export type ScribeOptions = {
  readonly from?: string
  readonly to?: string
  readonly schema?: string
  readonly party?: readonly string[]
  readonly token?: string
  readonly 'data-source'?: string
  readonly start?: string
  readonly stop?: string
  readonly metadata?: boolean
  readonly 'health-address'?: string
  readonly 'health-port'?: string
  readonly oauth?: OAuth
}

/** Where to get tokens from: OAuth's client credentials. */
export type OAuth = {
  readonly endpoint: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

const filterMeanings = 'only * (everything) and !* (nothing) are known'

export function scribeOptions(environment: Environment): ScribeOptions {
  const read = (name: string) => environment[`SCRIBE_${name}`] || undefined
  if (read('CONFIG') !== undefined) throw new StartError('SCRIBE_CONFIG: HOCON files are not read; use variables')
  const contracts = read('PIPELINE_FILTER_CONTRACTS') ?? '*'
  if (contracts.trim() !== '*') {
    throw new StartError(`SCRIBE_PIPELINE_FILTER_CONTRACTS=${contracts} is not served; the store has every template`)
  }
  const options = {
    from: ledgerUrl(read),
    to: postgresUrl(read),
    schema: read('TARGET_POSTGRES_SCHEMA'),
    party: partiesIn(read('PIPELINE_FILTER_PARTIES')),
    token: read('PIPELINE_OAUTH_ACCESSTOKEN'),
    oauth: oauthFrom(read),
    'data-source': read('PIPELINE_DATASOURCE'),
    start: read('PIPELINE_LEDGER_START'),
    stop: read('PIPELINE_LEDGER_STOP'),
    metadata: wholeFilter('PIPELINE_FILTER_METADATA', read('PIPELINE_FILTER_METADATA')),
    'health-address': read('HEALTH_ADDRESS'),
    'health-port': read('HEALTH_PORT'),
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

type Read = (name: string) => string | undefined

function ledgerUrl(read: Read): string | undefined {
  const [host, port] = [read('SOURCE_LEDGER_HOST'), read('SOURCE_LEDGER_PORT')]
  if (host === undefined && port === undefined) return undefined
  const scheme = read('SOURCE_LEDGER_TLS_CAFILE') === undefined ? 'http' : 'https'
  return `${scheme}://${host ?? 'localhost'}:${port ?? '7575'}`
}

function postgresUrl(read: Read): string | undefined {
  const parts = ['HOST', 'PORT', 'DATABASE', 'USERNAME', 'PASSWORD'].map((name) => read(`TARGET_POSTGRES_${name}`))
  if (parts.every((part) => part === undefined)) return undefined
  const [host = 'localhost', port = '5432', database = 'postgres', user = 'postgres', password = ''] = parts
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`
  const mode = { verifyca: 'verify-ca', verifyfull: 'verify-full' }[
    read('TARGET_POSTGRES_TLS_MODE')?.toLowerCase() ?? ''
  ]
  const tls = mode ?? read('TARGET_POSTGRES_TLS_MODE')?.toLowerCase()
  const query = tls === undefined || tls === 'disable' ? '' : `?sslmode=${tls}`
  return `postgres://${encodeURIComponent(user)}${secret}@${host}:${port}/${encodeURIComponent(database)}${query}`
}

/** `*` is every party; otherwise parties with `|` between them. */
function partiesIn(filter: string | undefined): readonly string[] | undefined {
  if (filter === undefined || filter.trim() === '*') return undefined
  const parties = filter.split('|').map((party) => party.trim())
  const isPlain = (party: string) => /^[a-zA-Z0-9:_ -]+$/.test(party)
  if (parties.every(isPlain)) return parties
  throw new StartError(`SCRIBE_PIPELINE_FILTER_PARTIES=${filter}: name whole parties, with | between them, or *`)
}

function wholeFilter(name: string, filter: string | undefined): boolean | undefined {
  if (filter === undefined) return undefined
  const meaning = new Map([
    ['*', true],
    ['!*', false],
  ]).get(filter.trim())
  if (meaning === undefined) throw new StartError(`SCRIBE_${name}=${filter}: ${filterMeanings}`)
  return meaning
}

function oauthFrom(read: Read): OAuth | undefined {
  const [endpoint, clientId, clientSecret] = ['ENDPOINT', 'CLIENTID', 'CLIENTSECRET'].map((name) =>
    read(`PIPELINE_OAUTH_${name}`),
  )
  if (endpoint === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const scope = read('PIPELINE_OAUTH_SCOPE')
  const isWord = scope === undefined || /^(default|none)$/i.test(scope)
  return { endpoint, clientId, clientSecret, scope: isWord ? undefined : scope, parameters: parametersOf(read) }
}

/** `a=b;c=d` or JSON. */
function parametersOf(read: Read): Readonly<Record<string, string>> {
  const text = read('PIPELINE_OAUTH_PARAMETERS')?.trim() ?? ''
  if (text.startsWith('{')) return JSON.parse(text)
  return Object.fromEntries(
    text
      .split(/[;,]/)
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim()]),
  )
}
