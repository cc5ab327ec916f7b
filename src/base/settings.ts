// Every setting of a node with its default and its meaning: one schema for configuration files, environment variables
// and `tallystick config`. Names end in their unit; secrets are marked `secret: true`, URLs that may contain one
// `secretUrl: true`.
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { logFormats, logLevels } from './log.ts'
import { userIdPattern } from './names.ts'
import { newestProtocolVersion } from './protocol-version.ts'
import { choice, count, flag, lifetime, second, secretText, section, text } from './setting-kinds.ts'

const acceptance = {
  targetAudience: Type.Optional(text('Accept tokens whose aud contains this')),
  targetScope: Type.Optional(text('Accept tokens whose scope contains this, when no audience is set')),
  privileged: Type.Optional(
    Type.Enum(['wildcard', 'admin'], {
      description:
        'Accept tokens whose user is not stored: with "wildcard" they may do everything, with "admin" everything but ' +
        'act and read as parties. Needs targetScope or targetAudience, of which targetScope decides',
    }),
  ),
  tokenLifetimeMaxMs: Type.Optional(lifetime('Overrides limits.tokenLifetimeMaxMs')),
  tokenLeewayMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Overrides limits.tokenLeewayMs' })),
}

const keySource = Type.Union(
  [
    Type.Object(
      { type: Type.Literal('hs256'), secret: secretText('Shared secret of HS256 tokens'), ...acceptance },
      { additionalProperties: false, description: 'A secret shared with the issuer' },
    ),
    Type.Object(
      { type: Type.Literal('certificate'), file: text('X.509 certificate in PEM form'), ...acceptance },
      { additionalProperties: false, description: 'The public key of a certificate' },
    ),
    Type.Object(
      {
        type: Type.Literal('jwks'),
        url: Type.String({ pattern: '^https?://', description: 'JSON Web Key Set, http or https', secretUrl: true }),
        ...acceptance,
      },
      { additionalProperties: false, description: 'A key set that the issuer publishes' },
    ),
  ],
  { description: 'Where a key that verifies tokens comes from' },
)

export const synchronizerSetting = Type.Object(
  {
    alias: Type.String({
      pattern: '^[A-Za-z0-9\\-_]{1,100}$',
      description: 'Its local name, and the first part of its id',
    }),
    idName: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9\\-_]{1,100}$', description: 'First part of its id, instead of the alias' }),
    ),
    priority: Type.Integer({ default: 0, description: 'The highest is preferred where there is a choice' }),
    protocolVersion: Type.Optional(
      Type.Integer({
        minimum: 34,
        maximum: newestProtocolVersion,
        description: `Version of Canton's protocol: ${newestProtocolVersion} unless given; 34 undoes effects and has no keys`,
      }),
    ),
    assignmentExclusivityMs: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Overrides limits.assignmentExclusivityMs' }),
    ),
    ledgerTimeToleranceMs: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Overrides limits.ledgerTimeToleranceMs' }),
    ),
  },
  { additionalProperties: false, description: 'One synchronizer; a new one gets its own key' },
)

const port = (description: string) => Type.Integer({ minimum: 0, maximum: 65_535, description })
const portOrOff = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Literal('off')], { description })

export const participantSetting = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9\\-_]{1,100}$',
      description: 'First part of the participant id, fixed at first start',
    }),
    idName: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9\\-_]{1,100}$',
        description: 'First part of the participant id, instead of the name; several participants may have the same',
      }),
    ),
    port: Type.Optional(
      port('Port of its HTTP service. By default http.port, and 1000 more for each further participant'),
    ),
    grpcPort: Type.Optional(
      portOrOff('Port of its gRPC service; "off" for none. By default like `port`, from grpc.port'),
    ),
    adminPort: Type.Optional(port('Port of its Admin API. By default like `port`, from admin.port, if that is set')),
    synchronizers: Type.Optional(
      Type.Array(text('An alias'), {
        description: 'Aliases of the synchronizers that it is connected to from its first start. By default all',
      }),
    ),
  },
  { additionalProperties: false, description: 'One participant of a network' },
)

export const settingsSchema = Type.Object(
  {
    http: section(
      {
        host: Type.String({ default: '127.0.0.1', minLength: 1, description: 'Address to listen on' }),
        port: Type.Integer({
          default: 7575,
          minimum: 0,
          maximum: 65_535,
          description: 'Port to listen on; 0 takes any free one',
        }),
        hostNames: Type.Array(Type.String({ minLength: 1 }), {
          default: [],
          description: 'Host names besides localhost that a node without tokens answers to; "*" for any',
        }),
        corsOrigins: Type.Array(Type.String({ minLength: 1 }), {
          default: [],
          description: 'Origins whose pages may call the node from a browser (CORS); "*" for all',
        }),
        tls: Type.Optional(
          Type.Object(
            {
              certificateFile: text('Serve https and wss with this certificate chain, in PEM form'),
              keyFile: text('Private key of that certificate, in PEM form'),
            },
            { additionalProperties: false, description: 'Serve https and wss; both files are needed' },
          ),
        ),
      },
      'The HTTP service',
    ),
    grpc: section(
      {
        port: Type.Optional(
          Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Literal('off')], {
            description:
              'Port of the gRPC Ledger API, at the address of the HTTP service; 0 takes any free one, "off" none. By default ' +
              '6865 on a development node, unless http.port is 0, and off elsewhere',
          }),
        ),
        clientCaFile: Type.Optional(
          text('With TLS: accept only clients with a certificate of these authorities, in PEM form'),
        ),
      },
      'The gRPC service; TLS as in http.tls',
    ),
    admin: section(
      {
        host: Type.String({
          default: '127.0.0.1',
          minLength: 1,
          description: 'Address of the Admin API. It requires no tokens: keep it on this machine',
        }),
        port: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 65_535,
            description: 'Port of the Admin API; 0 takes any free one. There is none unless this is set',
          }),
        ),
      },
      "The part of Canton's Admin API that scripts call, over gRPC; as in Canton, without tokens",
    ),
    store: section(
      {
        kind: choice(['sqlite', 'memory', 'postgres'], 'sqlite', 'Where the ledger is kept'),
        data: Type.String({ default: './.tallystick', minLength: 1, description: 'Folder of the SQLite store' }),
        filesOpenToOthers: Type.Optional(
          Type.Enum(['warn', 'refuse'], {
            description:
              'What to do when other accounts can read or change the files of the ledger or of its key. ' +
              'By default a development node warns, and any other refuses to start',
          }),
        ),
        postgresUrl: Type.Optional(
          Type.String({
            pattern: '^postgres(ql)?://',
            description:
              'postgres://user:password@host:port/database; several hosts, host:port,host:port, are a primary and its standbys',
            secret: true,
          }),
        ),
        postgresReplicaUrl: Type.Optional(
          Type.String({
            pattern: '^postgres(ql)?://',
            description: 'A hot standby of the database; updates and completions that it has are read there',
            secret: true,
          }),
        ),
        postgresConnectTimeoutMs: count(
          5 * second,
          'Time to connect to PostgreSQL, and to wait for a free connection; a sign of life may take 0.6 of it, but at least 3 s',
        ),
        postgresQueryTimeoutMs: count(
          10 * second,
          'Time for the answer to a statement before its connection is dropped',
        ),
        postgresStartMs: count(
          30 * second,
          'How long a start waits for a database that cannot be reached yet, or fails for another passing reason; 0: not at all',
          0,
        ),
        postgresWatchMs: count(
          second,
          'Time between two signs of life of a node, and the longest time until it learns what other nodes did when no ' +
            'notification reaches it',
        ),
        postgresLeaseMs: count(
          10 * second,
          'Time without a sign of life after which other nodes take a node for dead and do its work',
        ),
        queries: flag(
          false,
          'Keep a query store of the ledger in the database itself, in the schema "queries"; PostgreSQL only',
        ),
      },
      'The store',
    ),
    auth: section(
      {
        mode: choice(['jwt', 'off'], 'jwt', '"off" requires no token: everyone may do everything'),
        userId: Type.Optional(
          Type.String({
            pattern: `^${userIdPattern}$`,
            description:
              'With mode "off": the user of requests that name none. If it is not set, commands and completions ' +
              'must name their userId, as in Canton',
          }),
        ),
        administrators: Type.Array(Type.String({ pattern: `^${userIdPattern}$`, description: 'A user id' }), {
          default: [],
          description:
            'Administrators of the participant besides participant_admin. Each start creates missing users ' +
            'and grants all of them ParticipantAdmin',
        }),
        authorization: flag(true, 'When false, tokens are required and verified but rights are not checked'),
        keys: Type.Array(keySource, { default: [], description: 'Key sources, tried in this order' }),
      },
      'Authentication and authorization',
    ),
    development: Type.Optional(
      Type.Boolean({
        description:
          'A local development node: keeps its own token secret, explains refused tokens and missing rights. ' +
          'On by default unless the store is PostgreSQL',
      }),
    ),
    hints: Type.Optional(
      Type.Boolean({
        description:
          'Add a hint to errors: the name that was probably meant, the existing choices, what became of a contract. ' +
          'On by default on a development node, unless compatibility is canton-3.5',
      }),
    ),
    explorer: Type.Optional(
      Type.Boolean({
        description:
          'Serve the explorer at /explorer: pages for a browser, which use the API with the token of their reader. ' +
          'On by default on a development node',
      }),
    ),
    compatibility: choice(
      ['specification', 'canton-3.5'],
      'specification',
      'What applies where the specification and Canton 3.5 disagree (COMPAT.md lists the differences)',
    ),
    lenient: flag(
      false,
      'Accept requests that Canton refuses although their meaning is clear, such as JSON numbers for Int64 (COMPAT.md lists them)',
    ),
    participant: section(
      {
        name: Type.String({
          default: 'participant',
          pattern: '^[A-Za-z0-9\\-_]{1,100}$',
          description: 'First part of the participant id, fixed at first start',
        }),
        key: Type.Optional(secretText('Private key, PKCS #8 in PEM form, instead of one in the database')),
        keyFile: Type.Optional(text('File with that key; created at the first start')),
        keyPassphrase: Type.Optional(secretText('Passphrase of the key, if it is encrypted')),
      },
      'The participant',
    ),
    synchronizers: Type.Optional(
      Type.Array(synchronizerSetting, {
        minItems: 1,
        description: 'Synchronizers of this node. By default global and, on a development node, private',
      }),
    ),
    network: section(
      {
        participants: Type.Array(participantSetting, {
          default: [],
          description:
            'Participants that one process runs over shared synchronizers and one database; each has its own ports, users, ' +
            'packages and offsets. By default one, as `participant` says',
        }),
        serves: Type.Optional(
          Type.Array(text('A name'), {
            minItems: 1,
            description:
              'Names of the participants that this process listens for, where several processes share PostgreSQL. By default all',
          }),
        ),
      },
      'Several participants',
    ),
    time: section(
      {
        kind: choice(['wall', 'static'], 'wall', '"static" stands still until POST /v2/time moves it'),
        start: Type.String({
          default: '1970-01-01T00:00:00Z',
          description: 'Static time at first start, such as 2030-01-01T00:00:00Z',
        }),
      },
      'The ledger time',
    ),
    engine: section(
      {
        threads: count(
          2,
          'Threads that evaluate commands; up to twice as many more are started for long-running commands',
        ),
        stepsMax: count(100_000_000, 'Steps that one command may take'),
        wallClockMs: count(10 * second, 'Time that one command may take'),
        transactionBytesMax: count(2 ** 25, 'Bytes that the events of one transaction may have'),
        heapMb: count(512, 'Heap of one thread', 64),
        stackMb: count(64, 'Stack of one thread', 1),
      },
      'The engine',
    ),
    scriptLedger: flag(
      false,
      "As the ledger of Daml's own tests, for scripts: parties are called by their hints alone, and static time may go back; in memory only",
    ),
    seed: Type.Optional(
      text('Derive all ids from this text, so that they are the same at every fresh start; on development nodes only'),
    ),
    world: Type.Optional(
      text(
        'World file (JSON or YAML): packages, parties, users and commands that the ledger begins with; on development nodes only',
      ),
    ),
    initScript: Type.Optional(
      Type.String({
        pattern: '^[^:]+:[^:]+$',
        description:
          'Module:name of a Daml Script of the DARs that runs when the ledger is new, before the node serves; on development nodes only',
      }),
    ),
    fork: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            pattern: '^https?://',
            description: 'JSON Ledger API of the participant whose state a new ledger begins with',
            secretUrl: true,
          }),
          token: Type.Optional(secretText('Token for it, of a user that may read what is wanted')),
          parties: Type.Array(text('Id of a party'), {
            default: [],
            description: 'Take only the contracts that these parties see. By default all that the token may read',
          }),
          at: Type.Optional(
            Type.Integer({ minimum: 0, description: 'Offset of the state. By default the end of its ledger' }),
          ),
          follow: flag(false, 'Go on applying what happens there, until the first local command'),
        },
        {
          additionalProperties: false,
          description: 'Begin as a fork of another participant, which is only read; on development nodes only',
        },
      ),
    ),
    processes: count(
      1,
      'Processes that serve the ledger behind one port; more than one needs PostgreSQL, and is not for development nodes',
      1,
      64,
    ),
    dars: Type.Array(text('Path of a DAR file'), { default: [], description: 'Packages to upload at start' }),
    watch: flag(
      false,
      'Upload the DARs of the settings and of the world file again whenever they change; on development nodes only',
    ),
    log: section(
      {
        level: choice(logLevels, 'info', 'Lowest level to write; debug has a line for every request'),
        format: choice(
          logFormats,
          'auto',
          '"pretty" is for people, "json" for programs; "auto" is pretty on a terminal and JSON elsewhere',
        ),
        causes: Type.Optional(
          Type.Boolean({
            description:
              'Log the cause of every refusal. A cause may repeat parts of the request. On by default on a development node',
          }),
        ),
      },
      'The log, on standard error',
    ),
    traces: section(
      {
        otlpEndpoint: Type.Optional(
          Type.String({
            pattern: '^https?://',
            description: 'Collector that gets spans of requests and commands, by OTLP over HTTP (JSON)',
            secretUrl: true,
          }),
        ),
        otlpHeaders: Type.Optional(secretText('Headers for the collector: name=value,name=value')),
        serviceName: Type.String({ default: 'tallystick', minLength: 1, description: 'Name of the node in traces' }),
      },
      'Traces for OpenTelemetry; none without an endpoint',
    ),
    limits,
  },
  { additionalProperties: false, default: {} },
)

export type Settings = Static<typeof settingsSchema>
export type Limits = Settings['limits']
export type KeySource = Settings['auth']['keys'][number]

/** Milliseconds; infinity for 0 or "unlimited". */
export function unlimitedMs(setting: number | 'unlimited'): number {
  return setting === 'unlimited' || setting === 0 ? Number.POSITIVE_INFINITY : setting
}

export function isDevelopment(settings: Settings): boolean {
  return settings.development ?? settings.store.kind !== 'postgres'
}

const usualGrpcPort = 6865

/** Undefined if there is no gRPC service. A node can do without the usual port, which another node may have. */
export function grpcPortOf(settings: Settings): { readonly port: number; readonly isUsual: boolean } | undefined {
  const { port } = settings.grpc
  if (port === 'off') return undefined
  if (port !== undefined) return { port, isUsual: false }
  return isDevelopment(settings) && settings.http.port !== 0 ? { port: usualGrpcPort, isUsual: true } : undefined
}

export function givesHints(settings: Settings): boolean {
  return settings.hints ?? (isDevelopment(settings) && settings.compatibility !== 'canton-3.5')
}

export function servesExplorer(settings: Settings): boolean {
  return settings.explorer ?? isDevelopment(settings)
}

/**
 * Whether a request may mean several synchronizers without naming one, which Canton refuses. The second one of a development
 * node is there for trying reassignments: it must not make every first upload and allocation name the first.
 */
export function mayBeUnnamed(settings: Settings): boolean {
  return settings.lenient || settings.synchronizers === undefined
}

/** As configured; by default a development node has two, so that contracts can be reassigned. */
export function synchronizersOf(settings: Settings): NonNullable<Settings['synchronizers']> {
  if (settings.synchronizers !== undefined) return settings.synchronizers
  const aliases = isDevelopment(settings) ? ['global', 'private'] : ['global']
  return aliases.map((alias, index) => ({ alias, priority: -index }))
}
