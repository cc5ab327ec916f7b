// The environment variables of the Participant Query Store (SCRIBE_…, in later versions PQS_…), its configuration file and its options, as options of
// `tallystick query-store`: a container that ran the one runs the other.
import { readFileSync } from 'node:fs'
import { StartError } from '../base/errors.ts'
import { readHocon } from './hocon.ts'

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
  readonly 'filter-parties'?: string
  readonly 'filter-contracts'?: string
  readonly 'filter-metadata'?: string
  readonly 'health-address'?: string
  readonly 'health-port'?: string
  readonly oauth?: OAuth
  readonly tls?: LedgerTls
}

/** Files of the connection to the ledger. */
export type LedgerTls = { readonly ca?: string; readonly cert?: string; readonly key?: string }

/** Where to get tokens from: OAuth's client credentials. */
export type OAuth = {
  readonly endpoint: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

export function scribeOptions(environment: Environment): ScribeOptions {
  const variable = (name: string) => environment[`SCRIBE_${name}`] || environment[`PQS_${name}`] || undefined
  const file = variable('CONFIG')
  const configured = file === undefined ? new Map<string, string>() : variablesIn(file, environment)
  const read = (name: string) => variable(name) ?? (configured.get(name) || undefined)
  const options = {
    from: ledgerUrl(read),
    to: postgresUrl(read),
    schema: read('TARGET_POSTGRES_SCHEMA'),
    ...partiesIn(read('PIPELINE_FILTER_PARTIES')),
    'filter-contracts': read('PIPELINE_FILTER_CONTRACTS'),
    'filter-metadata': read('PIPELINE_FILTER_METADATA'),
    token: read('PIPELINE_OAUTH_ACCESSTOKEN'),
    oauth: oauthFrom(read),
    tls: tlsFrom(read),
    'data-source': read('PIPELINE_DATASOURCE'),
    start: read('PIPELINE_LEDGER_START'),
    stop: read('PIPELINE_LEDGER_STOP'),
    'health-address': read('HEALTH_ADDRESS'),
    'health-port': read('HEALTH_PORT'),
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** `pipeline.oauth.clientId` of a file is the variable PIPELINE_OAUTH_CLIENTID. */
function variablesIn(file: string, environment: Environment): Map<string, string> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read SCRIBE_CONFIG: ${(error as Error).message}`)
  }
  const values = readHocon(text, file, environment)
  const parameters = [...values].filter(([path]) => path.startsWith(parametersPath))
  const variables = new Map([...values].map(([path, value]) => [variableOf(path), value]))
  if (parameters.length > 0) {
    const object = Object.fromEntries(parameters.map(([path, value]) => [path.slice(parametersPath.length), value]))
    variables.set('PIPELINE_OAUTH_PARAMETERS', JSON.stringify(object))
  }
  return variables
}

const parametersPath = 'pipeline.oauth.parameters.'
const variableOf = (path: string) => path.replaceAll(/[.-]/g, '_').toUpperCase()

/** Options such as --source-ledger-host are variables, too. */
export function scribeEnvironment(flags: Readonly<Record<string, unknown>>, environment: Environment): Environment {
  const given = Object.entries(flags).map(([name, value]) => [`SCRIBE_${variableOf(name)}`, String(value)])
  return { ...environment, ...Object.fromEntries(given) }
}

/** The options of PQS that have a meaning here. Those about logs, retries and buffers are taken and have none. */
export const scribeFlags = [
  ...[
    'config',
    'pipeline-datasource',
    'pipeline-filter-parties',
    'pipeline-filter-metadata',
    'pipeline-filter-contracts',
  ],
  ...['pipeline-ledger-start', 'pipeline-ledger-stop', 'pipeline-oauth-accesstoken', 'pipeline-oauth-clientid'],
  ...['pipeline-oauth-clientsecret', 'pipeline-oauth-endpoint', 'pipeline-oauth-scope', 'pipeline-oauth-parameters'],
  ...['source-ledger-host', 'source-ledger-port', 'source-ledger-auth', 'source-ledger-tls-cafile'],
  ...['source-ledger-tls-cert', 'source-ledger-tls-key'],
  ...['target-postgres-host', 'target-postgres-port', 'target-postgres-database', 'target-postgres-username'],
  ...[
    'target-postgres-password',
    'target-postgres-schema',
    'target-postgres-tls-mode',
    'health-address',
    'health-port',
  ],
  ...[
    'logger-level',
    'logger-format',
    'logger-pattern',
    'retry-backoff-base',
    'retry-backoff-cap',
    'retry-backoff-factor',
  ],
  ...['retry-counter-attempts', 'retry-counter-duration', 'retry-counter-reset', 'source-ledger-buffersize'],
  ...['target-postgres-buffersize', 'target-postgres-maxconnections', 'target-schema-autoapply'],
] as const

type Read = (name: string) => string | undefined

function ledgerUrl(read: Read): string | undefined {
  const [host, port] = [read('SOURCE_LEDGER_HOST'), read('SOURCE_LEDGER_PORT')]
  if (host === undefined && port === undefined) return undefined
  const scheme = tlsFrom(read) === undefined ? 'ledger' : 'ledgers'
  return `${scheme}://${host ?? 'localhost'}:${port ?? '6865'}`
}

function tlsFrom(read: Read): LedgerTls | undefined {
  const files = {
    ca: read('SOURCE_LEDGER_TLS_CAFILE'),
    cert: read('SOURCE_LEDGER_TLS_CERT'),
    key: read('SOURCE_LEDGER_TLS_KEY'),
  }
  const given = Object.entries(files).filter(([, file]) => file !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
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

/** Whole parties are looked for at the participant; a filter selects among those that it tells. */
function partiesIn(filter: string | undefined): Pick<ScribeOptions, 'party' | 'filter-parties'> {
  if (filter === undefined || filter.trim() === '*') return {}
  const parties = filter.split('|').map((party) => party.trim())
  return parties.every((party) => /^[^&!()*\s]+$/.test(party)) ? { party: parties } : { 'filter-parties': filter }
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
