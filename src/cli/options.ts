// The options that commands share, with their help texts and the settings they set.
import type { ParseArgsConfig } from 'node:util'

type Option = NonNullable<ParseArgsConfig['options']>[string] & { readonly value?: string; readonly help: string }

export type OptionTable = Readonly<Record<string, Option>>

/** `sets` names the setting that takes the option's value; `with` lists further settings that the option implies. */
type SettingOption = Option & { readonly sets?: string; readonly with?: Readonly<Record<string, string>> }

export const settingOptions = {
  host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (127.0.0.1)', sets: 'http.host' },
  port: { type: 'string', value: 'PORT', help: 'port to listen on (7575); 0 takes any free one', sets: 'http.port' },
  'grpc-port': {
    type: 'string',
    value: 'PORT',
    help: 'port of the gRPC API (6865 on a development node); 0 takes any free one, off none',
    sets: 'grpc.port',
  },
  cors: {
    type: 'string',
    multiple: true,
    value: 'ORIGIN',
    help: 'origin whose pages may call the node, "*" for all; may be repeated',
    sets: 'http.corsOrigins',
  },
  'tls-cert': {
    type: 'string',
    value: 'FILE',
    help: 'serve https with this certificate chain (PEM)',
    sets: 'http.tls.certificateFile',
  },
  'tls-key': { type: 'string', value: 'FILE', help: 'and this private key (PEM)', sets: 'http.tls.keyFile' },
  data: {
    type: 'string',
    value: 'DIR',
    help: 'keep the ledger in a SQLite file in this folder (./.tallystick)',
    sets: 'store.data',
    with: { 'store.kind': 'sqlite' },
  },
  memory: {
    type: 'boolean',
    help: 'keep the ledger in memory; it is lost when the node stops',
    with: { 'store.kind': 'memory' },
  },
  postgres: {
    type: 'string',
    value: 'URL',
    help: 'keep the ledger in PostgreSQL: postgres://user:password@host[,standby]/db',
    sets: 'store.postgresUrl',
    with: { 'store.kind': 'postgres' },
  },
  'postgres-replica': {
    type: 'string',
    value: 'URL',
    help: 'with --postgres: read updates from this hot standby, as far as it has them',
    sets: 'store.postgresReplicaUrl',
  },
  processes: {
    type: 'string',
    value: 'N',
    help: 'serve with N processes behind one port; needs --postgres (1)',
    sets: 'processes',
  },
  'static-time': {
    type: 'string',
    value: 'TIME',
    help: 'time only moves on request; starts at TIME, such as 2030-01-01T00:00:00Z',
    sets: 'time.start',
    with: { 'time.kind': 'static' },
  },
  seed: {
    type: 'string',
    value: 'TEXT',
    help: 'the same participant, party and contract ids at every fresh start',
    sets: 'seed',
  },
  dar: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'package to upload at start; may be repeated',
    sets: 'dars',
  },
  watch: {
    type: 'boolean',
    help: 'upload the DARs again when they change; a rebuilt package takes over',
    with: { watch: 'true' },
  },
  world: {
    type: 'string',
    value: 'FILE',
    help: 'parties, users, packages and commands that the ledger begins with',
    sets: 'world',
  },
  'init-script': {
    type: 'string',
    value: 'M:NAME',
    help: 'Daml Script of the DARs to run when the ledger is new',
    sets: 'initScript',
  },
  fork: {
    type: 'string',
    value: 'URL',
    help: 'begin with the packages, parties and contracts of the participant with this JSON Ledger API',
    sets: 'fork.url',
  },
  token: { type: 'string', value: 'TOKEN', help: 'with --fork: token for that participant', sets: 'fork.token' },
  party: {
    type: 'string',
    multiple: true,
    value: 'PARTY',
    help: 'with --fork: only the contracts that this party sees; may be repeated',
    sets: 'fork.parties',
  },
  at: { type: 'string', value: 'OFFSET', help: 'with --fork: its state at this offset (its end)', sets: 'fork.at' },
  follow: {
    type: 'boolean',
    help: 'with --fork: go on applying what happens there, until the first local command',
    with: { 'fork.follow': 'true' },
  },
  config: { type: 'string', value: 'FILE', help: 'JSON file with settings; `tallystick config` shows them all' },
  auth: {
    type: 'string',
    value: 'jwt|off',
    help: 'off requires no token: everyone may do everything',
    sets: 'auth.mode',
  },
  'user-id': {
    type: 'string',
    value: 'ID',
    help: 'with --auth off: the user of requests that name none',
    sets: 'auth.userId',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    help: 'trace, debug, info, warn, error or silent (info)',
    sets: 'log.level',
  },
  'log-format': {
    type: 'string',
    value: 'FORMAT',
    help: 'pretty or json (auto: pretty on a terminal)',
    sets: 'log.format',
  },
  'otlp-endpoint': {
    type: 'string',
    value: 'URL',
    help: 'send traces to this OpenTelemetry collector, such as http://localhost:4318',
    sets: 'traces.otlpEndpoint',
  },
} as const satisfies Readonly<Record<string, SettingOption>>

/** An OIDC issuer for tests beside a node (oidc-issuer.ts). */
export const oidcOptions = {
  oidc: { type: 'boolean', help: 'with an OIDC issuer for tests, whose passwords are public' },
  'oidc-port': { type: 'string', value: 'PORT', help: 'with --oidc: its port (8082); 0 takes any free one' },
  'oidc-realm': {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'with --oidc: a realm that Keycloak exported; may be repeated',
  },
  unsafe: { type: 'boolean', help: 'with --oidc: listen beyond this machine, although everybody can sign in' },
} as const satisfies OptionTable

export type OidcFlags = {
  readonly oidc?: boolean
  readonly 'oidc-port'?: string
  readonly 'oidc-realm'?: readonly string[]
  readonly unsafe?: boolean
}

/** The same table as a list. */
export const settingOptionRows = Object.entries<SettingOption>(settingOptions)

export const helpOption = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
} as const satisfies OptionTable

export function describeOptions(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, { value, help }]): [left: string, help: string] => {
    return [value === undefined ? `--${name}` : `--${name} ${value}`, help]
  })
  const width = Math.max(22, ...rows.map(([left]) => left.length))
  return rows.map(([left, help]) => `  ${left.padEnd(width)} ${help}`).join('\n')
}
