// tallystick query-store: keeps tables of a PostgreSQL database up to date with a ledger, for SQL written for the
// Participant Query Store.
import { readFileSync } from 'node:fs'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { createLog, type LogLevel, logLevels } from '../../base/log.ts'
import { parsePostgresUrl } from '../../base/postgres-url.ts'
import type { TokenSource } from '../../ledger-client/ledger-client.ts'
import type { FollowSettings } from '../../query-store/follower.ts'
import type { NameFilter } from '../../query-store/name-filter.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { nodeAt } from '../local-node.ts'
import { type ScribeOptions, scribeEnvironment, scribeFlags, scribeOptions } from '../scribe-variables.ts'
import { trustCertificates } from '../trusted-certificates.ts'

type Flags = Omit<ScribeOptions, 'oauth' | 'tls'> & {
  readonly 'token-file'?: string
  readonly 'ca-file'?: string
  readonly 'log-level'?: string
  readonly data?: string
}

const usualHealthPort = '8091'

/** The same address as one of HTTP, for which a node of this machine may have a token. */
const httpUrlOf = (url: string) => url.replace(/^(grpc|ledger)(?=s?:)/, 'http')

export const queryStoreCommand: Command = {
  summary: 'keep a ledger in PostgreSQL tables, for SQL',
  usage: 'tallystick query-store --from URL --to POSTGRES [options]',
  options: {
    from: {
      type: 'string',
      value: 'URL',
      help: 'the ledger API of the participant, http:// or grpc://; else TALLYSTICK_URL, else the node of this folder',
    },
    to: { type: 'string', value: 'POSTGRES', help: 'the database: postgres://user:password@host[,standby]/db' },
    schema: { type: 'string', value: 'NAME', help: 'the schema of the tables and functions (public)' },
    party: {
      type: 'string',
      multiple: true,
      value: 'PARTY',
      help: 'a party to read as; may be repeated; else all that the user of the token may read as',
    },
    token: { type: 'string', value: 'TOKEN', help: 'a token for the ledger; else TALLYSTICK_TOKEN' },
    'token-file': { type: 'string', value: 'FILE', help: 'a file with the token, read again for each connection' },
    'ca-file': {
      type: 'string',
      value: 'FILE',
      help: 'trust this certificate authority (PEM), too, for https:// and grpcs://',
    },
    'data-source': {
      type: 'string',
      value: 'NAME',
      help: 'TransactionStream, or TransactionTreeStream with exercises (TransactionStream)',
    },
    start: {
      type: 'string',
      value: 'WHERE',
      help: 'where a new store begins: Genesis, Oldest, Latest or an offset (Latest)',
    },
    stop: { type: 'string', value: 'WHERE', help: 'where to end: Never, Latest or an offset (Never)' },
    'filter-parties': {
      type: 'string',
      value: 'FILTER',
      help: 'instead of --party: which of these parties, such as "Alice::* | Bob*"',
    },
    'filter-contracts': {
      type: 'string',
      value: 'FILTER',
      help: 'which templates and interfaces to keep, such as "app:* & !app:Main:Log" (*)',
    },
    'filter-metadata': { type: 'string', value: 'FILTER', help: 'which of them to keep as bytes, too' },
    metadata: { type: 'boolean', help: 'keep contracts as bytes, too, for disclosure' },
    'health-address': { type: 'string', value: 'ADDRESS', help: 'address of /livez and /readyz (127.0.0.1)' },
    'health-port': { type: 'string', value: 'PORT', help: 'their port (8091); 0 takes any free one' },
    data: { type: 'string', value: 'DIR', help: 'the data folder of a node of this machine (./.tallystick)' },
    'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info, warn, error or silent (info)' },
  },
  notes: `docs/query-store.md has the functions. The variables of the Participant Query Store work, too: SCRIBE_SOURCE_LEDGER_HOST
and _PORT (of gRPC or of the JSON Ledger API), SCRIBE_TARGET_POSTGRES_HOST, _PORT, _DATABASE, _USERNAME, _PASSWORD and _SCHEMA, and others.`,
  run,
}

/** As images of the Participant Query Store are started: `pipeline ledger postgres-document`. */
export const pipelineCommand: Command = {
  summary: 'query-store, with the options of the Participant Query Store',
  usage: 'tallystick pipeline ledger postgres-document [options]',
  operands: ['SOURCE', 'TARGET'],
  options: Object.fromEntries(
    scribeFlags.map((name) => [name, { type: 'string', value: 'VALUE', help: 'as in the Participant Query Store' }]),
  ),
  notes:
    'Takes the variables of the Participant Query Store, too. The port of the ledger may be that of gRPC or of JSON.',
  async run(flags, surroundings, [source, target]) {
    if (source !== 'ledger' || target !== 'postgres-document') {
      throw new UsageError('the source is ledger, and the target postgres-document')
    }
    await run({}, { ...surroundings, environment: scribeEnvironment(flags, surroundings.environment) })
  },
}

async function run(given: Flags, surroundings: Surroundings): Promise<void> {
  const fromEnvironment = scribeOptions(surroundings.environment)
  const flags: Flags = { ...fromEnvironment, ...given }
  if (flags.to === undefined) throw new UsageError('--to is missing: the URL of a PostgreSQL database')
  const settings = await settingsFrom(flags, flags.to)
  const stopping = new AbortController()
  void surroundings.untilStopped().then(() => stopping.abort())
  const [url, token] = await ledgerOf(
    flags,
    given.token === undefined ? fromEnvironment.oauth : undefined,
    surroundings,
  )
  const { followLedger } = await import('../../query-store/follower.ts')
  const { createAnyLedgerClient } = await import('../../ledger-client/any-ledger-client.ts')
  const state = { isLedgerUp: false, isStoreUp: false, isStreaming: false }
  const { ca, ...certificate } = fromEnvironment.tls ?? {}
  const authority = flags['ca-file'] ?? ca
  if (authority !== undefined) trustCertificates(authority)
  const ledger = await createAnyLedgerClient(url, { token, tls: filesOf(certificate), clock: wallClock })
  const log = createLog(levelFrom(flags['log-level'] ?? 'info'), 'auto')
  await using parts = new AsyncDisposableStack()
  const health = await openHealth(flags, state, surroundings)
  if (health !== undefined) parts.use(health)
  surroundings.print(`following ${ledger.place} into ${settings.to.place}, schema ${settings.schema}`)
  if (health !== undefined) surroundings.print(`health    ${health.url}/livez and /readyz`)
  let isFirst = true
  const onReached = (offset: number) => {
    if (isFirst) surroundings.print(`ready at offset ${offset}`)
    isFirst = false
  }
  await followLedger(settings, { ledger, log, clock: wallClock, state, signal: stopping.signal, onReached })
}

async function settingsFrom(flags: Flags, to: string): Promise<FollowSettings> {
  const { everything, nothing, parseNameFilter } = await import('../../query-store/name-filter.ts')
  const filterOf = (name: `filter-${'parties' | 'contracts' | 'metadata'}`, usual: NameFilter): NameFilter => {
    const text = flags[name]
    return text === undefined ? usual : parseNameFilter(text, `--${name}`)
  }
  return {
    to: parsePostgresUrl(to),
    schema: flags.schema ?? 'public',
    parties: flags.party === undefined ? filterOf('filter-parties', everything) : [...new Set(flags.party)].sort(),
    contracts: filterOf('filter-contracts', everything),
    metadata: filterOf('filter-metadata', flags.metadata ? everything : nothing),
    dataSource: oneOf('--data-source', flags['data-source'] ?? 'TransactionStream', [
      'TransactionStream',
      'TransactionTreeStream',
    ]),
    start: offsetOr('--start', flags.start ?? 'Latest', ['Genesis', 'Oldest', 'Latest']),
    stop: offsetOr('--stop', flags.stop ?? 'Never', ['Never', 'Latest']),
    beginsAnew: false,
  }
}

function oneOf<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
  if (found !== undefined) return found
  throw new UsageError(`${option} is one of ${words.join(', ')}`)
}

function offsetOr<Word extends string>(option: string, text: string, words: readonly Word[]): Word | number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return oneOf(option, text, [...words, 'an offset' as Word])
}

const levelFrom = (text: string): LogLevel => oneOf('--log-level', text, logLevels)

/** A token that is made here is made anew for each connection, because it expires. */
async function ledgerOf(
  flags: Flags,
  oauth: ScribeOptions['oauth'],
  { environment }: Surroundings,
): Promise<readonly [url: string, TokenSource]> {
  const { from } = flags
  const node = () => nodeAt({ ...flags, ...(from !== undefined && { url: httpUrlOf(from) }) }, environment)
  const url = from ?? (await node()).url
  const file = flags['token-file']
  if (file !== undefined) return [url, async () => readText(file)]
  if (oauth === undefined) return [url, async () => (await node()).token]
  const { createTokenSource } = await import('../../query-store/oauth.ts')
  return [url, createTokenSource(oauth, wallClock)]
}

function filesOf(tls: Omit<NonNullable<ScribeOptions['tls']>, 'ca'>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tls).map(([name, file]) => [name, readText(file)]))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartError(`cannot read ${file}: ${(error as Error).message}`)
  }
}

/** Several stores on a machine need not care for health, so its usual port may be taken. */
async function openHealth(
  flags: Flags,
  state: Parameters<typeof import('../../query-store/health.ts').serveHealth>[2],
  surroundings: Surroundings,
) {
  const { serveHealth } = await import('../../query-store/health.ts')
  const { 'health-port': port = usualHealthPort, 'health-address': address = '127.0.0.1' } = flags
  if (!/^\d{1,5}$/.test(port)) throw new UsageError('--health-port is a number')
  try {
    return await serveHealth(address, Number(port), state)
  } catch (error) {
    if (!(error instanceof StartError) || flags['health-port'] !== undefined) throw error
    surroundings.tell(`no health endpoints: ${error.message}`)
    return undefined
  }
}
