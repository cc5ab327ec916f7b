// Every setting of a node with its default and its meaning: one schema that configuration files, environment
// variables and `tallystick config` all follow. Units are part of a name; secrets carry `secret: true`, URLs that
// may hold one `secretUrl: true`.
import { type Static, type TEnum, type TProperties, Type } from 'typebox'
import { logFormats, logLevels } from './log.ts'
import { userIdPattern } from './names.ts'
import { newestProtocolVersion } from './protocol-version.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const mebibyte = 1024 * 1024

/** A section has defaults for all it holds, so that leaving it out means its defaults. */
const section = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, default: {}, description })

const count = (byDefault: number, description: string, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ default: byDefault, minimum, maximum, description })

/** Zero says "unlimited", too: `unlimitedMs` reads both. */
const lifetime = (description: string, byDefault?: number) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('unlimited')], {
    description,
    ...(byDefault !== undefined && { default: byDefault }),
  })

const flag = (byDefault: boolean, description: string) => Type.Boolean({ default: byDefault, description })
const text = (description: string) => Type.String({ minLength: 1, description })
const secretText = (description: string) => Type.String({ minLength: 1, description, secret: true })
const choice = <T extends string[]>(values: readonly [...T], byDefault: T[number], description: string): TEnum<T> =>
  Type.Enum(values, { default: byDefault, description }) as TEnum<T>

/** Defaults are Canton's own where Canton has such a limit. */
const limits = section(
  {
    listElementsMax: count(200, 'Elements one HTTP list call may return before it answers 413'),
    // A list is one text, and V8 has none of more than 512 Mi characters.
    listBytesMax: count(64 * mebibyte, 'Bytes one HTTP list call may return before it answers 413', 1, 256 * mebibyte),
    pageBytesMax: count(16 * mebibyte, 'Bytes after which a page ends early', 1, 256 * mebibyte),
    readBytesMax: count(
      128 * mebibyte,
      'Bytes of large updates, contracts and lists that all readers together may hold; others wait in turn',
    ),
    listWaitMs: count(500, 'Idle time after which an open-ended HTTP list call answers'),
    requestTimeoutMs: count(20 * second, 'Time a request may take before it is answered 503'),
    stopWithinMs: count(8 * second, 'Time a stop may take; requests that are under way have half of it to finish'),
    bodyBytesMax: count(8 * mebibyte, 'Largest request body'),
    anonymousBodyBytesMax: count(64 * 1024, 'Largest request body of a client without a good token; others get 401'),
    bodiesBytesMax: count(
      256 * mebibyte,
      'Bytes of larger bodies held at a time; one client may hold a quarter of them',
    ),
    bodyValuesMax: count(100_000, 'Values in a request body, not counting those inside of Daml values'),
    webSocketRequestBytesMax: count(mebibyte, 'Largest first message of a WebSocket'),
    headerBytesMax: count(16 * 1024, 'Largest request line and headers together'),
    connectionsMax: count(20_000, 'Open client connections'),
    deduplicationDurationMaxMs: count(7 * day, 'Longest deduplication period, and the one used when none is given'),
    tapsPassesMax: count(4, 'Passes of topology-aware package selection a command may ask for'),
    identityProvidersMax: count(16, 'Identity provider configs'),
    identityProviderCacheMs: count(5 * minute, 'Time identity provider configs read from the database are reused'),
    jwksCacheMs: count(5 * minute, 'Time a fetched key set is used before it is fetched again'),
    jwksOutageMs: count(hour, 'Time an expired key set still serves while its endpoint does not answer', 0),
    jwksCooldownMs: count(second, 'Least time between two fetches of one key set', 0),
    jwksKeysMax: count(1000, 'Keys kept of one key set'),
    jwksBytesMax: count(mebibyte, 'Largest key set document'),
    jwksTimeoutMs: count(10 * second, 'Time one fetch of a key set may take'),
    tokenLifetimeMaxMs: lifetime(
      'How far ahead a token may expire; 0 or "unlimited" for no limit. Tokens of the local development secret have none',
      5 * minute,
    ),
    tokenLeewayMs: count(0, 'Clock difference allowed for exp, nbf and iat', 0),
    verifiedTokensMax: count(1000, 'Tokens whose verification is remembered'),
    verifiedTokenCacheMs: count(5 * second, 'Time a verification is remembered', 0),
    userRightsCacheMs: count(5 * second, 'Time rights read from the database are reused', 0),
    userRightsCacheMax: count(100, 'Users whose rights are kept in memory'),
    userRightsMax: count(1000, 'Rights of one user'),
    usersPageMax: count(1000, 'Users on one page'),
    partiesPageMax: count(10_000, 'Parties on one page'),
    vettedPackagesPageMax: count(100, 'Vetted packages on one page'),
    selfAllocatedPartiesMax: count(0, 'Parties a user without administrator rights may allocate for itself', 0),
    annotationBytesMax: count(256 * 1024, 'Bytes of annotations of one user or party'),
    offsetCheckpointMs: count(15 * second, 'Time between offset checkpoints of a busy stream'),
    idleCheckpointMs: count(minute, 'Time between offset checkpoints of an idle stream'),
    firstCheckpointMs: count(500, 'Time before the first offset checkpoint of a tailing stream'),
    updatesPageDefault: count(100, 'Updates on one page when a request does not say'),
    updatesPageMax: count(2000, 'Updates on one page'),
    activeContractsPageDefault: count(2000, 'Active contracts on one page when a request does not say'),
    activeContractsPageMax: count(10_000, 'Active contracts on one page'),
    interfaceViewBytesMax: count(16 * mebibyte, 'Bytes of interface views that are kept in memory', 0),
    streamsMax: count(1000, 'Open update, completion and contract streams'),
    streamsPerUserMax: count(250, 'Such streams of one user, or of one address where callers have no user'),
    submissionsMax: count(20_000, 'Submissions waiting for their outcome'),
    commitQueueBytesMax: count(
      64 * mebibyte,
      'Bytes of transactions waiting to be written before commands are refused',
    ),
    ledgerTimeToleranceMs: count(minute, 'Largest difference of ledger time and record time'),
    assignmentExclusivityMs: count(minute, 'Time only the submitter of an unassignment may assign', 0),
    preparationTimeToleranceMs: count(day, 'Age of a prepared transaction at execution'),
  },
  'Limits, each with the default of the Canton version that COMPAT.md names',
)

const acceptance = {
  targetAudience: Type.Optional(text('Accept tokens whose aud contains this')),
  targetScope: Type.Optional(text('Accept tokens whose scope contains this, when no audience is set')),
  tokenLifetimeMaxMs: Type.Optional(lifetime('Instead of limits.tokenLifetimeMaxMs')),
  tokenLeewayMs: Type.Optional(Type.Integer({ minimum: 0, description: 'Instead of limits.tokenLeewayMs' })),
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

const synchronizer = Type.Object(
  {
    alias: Type.String({
      pattern: '^[A-Za-z0-9\\-_]{1,100}$',
      description: 'Its name here, and the first part of its id',
    }),
    priority: Type.Integer({ default: 0, description: 'Where there is a choice, the highest is taken' }),
    protocolVersion: Type.Optional(
      Type.Integer({
        minimum: 34,
        maximum: newestProtocolVersion,
        description: `Version of Canton's protocol: ${newestProtocolVersion} unless given; 34 undoes effects and has no keys`,
      }),
    ),
    assignmentExclusivityMs: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Instead of limits.assignmentExclusivityMs' }),
    ),
    ledgerTimeToleranceMs: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Instead of limits.ledgerTimeToleranceMs' }),
    ),
  },
  { additionalProperties: false, description: 'One synchronizer, made with a key of its own when it is new' },
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
          description: 'Names besides localhost that clients may call a node by that asks for no token; "*" for any',
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
    store: section(
      {
        kind: choice(['sqlite', 'memory', 'postgres'], 'sqlite', 'Where the ledger is kept'),
        data: Type.String({ default: './.tallystick', minLength: 1, description: 'Folder of the SQLite store' }),
        filesOpenToOthers: Type.Optional(
          Type.Enum(['warn', 'refuse'], {
            description:
              'What to do when other accounts can read or change the files of the ledger or of its key. ' +
              'By default a development node warns, and any other does not start',
          }),
        ),
        postgresUrl: Type.Optional(
          Type.String({
            pattern: '^postgres(ql)?://',
            description: 'postgres://user:password@host:port/database',
            secret: true,
          }),
        ),
        postgresConnectTimeoutMs: count(5 * second, 'Time to connect to PostgreSQL, and to wait for a free connection'),
        postgresQueryTimeoutMs: count(
          10 * second,
          'Time for the answer to a statement, before its connection is dropped',
        ),
        postgresWatchMs: count(second, 'Time between two looks at the lock that keeps other nodes away'),
      },
      'The store',
    ),
    auth: section(
      {
        mode: choice(['jwt', 'off'], 'jwt', '"off" asks for no token at all: everybody may do everything'),
        userId: Type.Optional(
          Type.String({
            pattern: `^${userIdPattern}$`,
            description:
              'With mode "off": the user of requests that name none. Without it, as in Canton, commands and completions ' +
              'have to name their userId',
          }),
        ),
        administrators: Type.Array(Type.String({ pattern: `^${userIdPattern}$`, description: 'A user id' }), {
          default: [],
          description:
            'Users besides participant_admin that administer the participant. Each start makes those that do not exist ' +
            'and grants all of them ParticipantAdmin',
        }),
        authorization: flag(true, 'When false, tokens are required and verified but rights are not checked'),
        keys: Type.Array(keySource, { default: [], description: 'Key sources, asked in this order' }),
      },
      'Who may call',
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
          'Add a hint to errors: the name that was probably meant, the choices there are, what became of a contract. ' +
          'By default on a development node, unless compatibility is canton-3.5',
      }),
    ),
    compatibility: choice(
      ['specification', 'canton-3.5'],
      'specification',
      'Who wins where the specification and Canton 3.5 disagree (COMPAT.md lists the points)',
    ),
    participant: section(
      {
        name: Type.String({
          default: 'participant',
          pattern: '^[A-Za-z0-9\\-_]{1,100}$',
          description: 'First part of the participant id, fixed at first start',
        }),
        key: Type.Optional(secretText('Private key, PKCS #8 in PEM form, instead of one that is kept in the database')),
        keyFile: Type.Optional(text('File with that key; made at the first start')),
        keyPassphrase: Type.Optional(secretText('Opens the key when it is encrypted')),
      },
      'The participant',
    ),
    synchronizers: Type.Optional(
      Type.Array(synchronizer, {
        minItems: 1,
        description: 'Synchronizers of this node. By default global and, on a development node, private',
      }),
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
          'Threads that evaluate commands; up to twice as many more are started for commands that take long',
        ),
        stepsMax: count(100_000_000, 'Steps that one command may take'),
        wallClockMs: count(10 * second, 'Time that one command may take'),
        scriptLengthMax: count(2 ** 23, 'Characters of JavaScript that a choice, with all it calls, may become'),
        transactionBytesMax: count(2 ** 25, 'Bytes that the events of one transaction may have'),
        heapMb: count(512, 'Heap of one thread', 64),
        stackMb: count(64, 'Stack of one thread', 1),
        queueMax: count(10_000, 'Commands that may wait for a thread'),
      },
      'The engine',
    ),
    dars: Type.Array(text('Path of a DAR file'), { default: [], description: 'Packages to upload at start' }),
    log: section(
      {
        level: choice(logLevels, 'info', 'Least severe level to write; debug has a line for every request'),
        format: choice(
          logFormats,
          'auto',
          '"pretty" is for people, "json" for programs; "auto" is pretty on a terminal and JSON elsewhere',
        ),
        causes: Type.Optional(
          Type.Boolean({
            description:
              'Log the cause of every refusal. A cause may repeat a part of the request. By default on a development node',
          }),
        ),
      },
      'The log, on standard error',
    ),
    limits,
  },
  { additionalProperties: false, default: {} },
)

export type Settings = Static<typeof settingsSchema>
export type Limits = Settings['limits']
export type KeySource = Settings['auth']['keys'][number]

/** Milliseconds, infinitely many where a setting says 0 or "unlimited". */
export function unlimitedMs(setting: number | 'unlimited'): number {
  return setting === 'unlimited' || setting === 0 ? Number.POSITIVE_INFINITY : setting
}

export function isDevelopment(settings: Settings): boolean {
  return settings.development ?? settings.store.kind !== 'postgres'
}

export function givesHints(settings: Settings): boolean {
  return settings.hints ?? (isDevelopment(settings) && settings.compatibility !== 'canton-3.5')
}

/** As configured; by default a development node has two, so that contracts have somewhere to move. */
export function synchronizersOf(settings: Settings): NonNullable<Settings['synchronizers']> {
  if (settings.synchronizers !== undefined) return settings.synchronizers
  const aliases = isDevelopment(settings) ? ['global', 'private'] : ['global']
  return aliases.map((alias, index) => ({ alias, priority: -index }))
}
