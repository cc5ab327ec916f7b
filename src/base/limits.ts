// The limits that an operator sets, and those that follow from them or are the same for all transports. Limits that only
// one part has are constants beside its code. Defaults are Canton's where Canton has the same limit.
import { count, day, lifetime, mebibyte, minute, second, section } from './setting-kinds.ts'

export const limits = section(
  {
    listElementsMax: count(200, 'Elements one HTTP list call may return before it answers 413'),
    readBytesMax: count(
      128 * mebibyte,
      'Bytes that all readers together may hold, read and not yet taken by the client; one user may hold three quarters. Others wait. ' +
        'A list may have half as many, up to 256 MiB, and a page an eighth',
    ),
    stalledReaderMs: count(2 * minute, 'Time after which a client that takes nothing of what it reads is disconnected'),
    listWaitMs: count(500, 'Idle time after which an open-ended HTTP list call answers'),
    requestTimeoutMs: count(
      20 * second,
      'Time a request may take before it is answered 503; for a snapshot that is sent, time without a byte',
    ),
    stopWithinMs: count(8 * second, 'Time a stop may take; running requests have half of it to finish'),
    bodyBytesMax: count(8 * mebibyte, 'Largest request body'),
    grpcMessageBytesMax: count(10 * mebibyte, 'Largest request over gRPC, also when it is unpacked'),
    bodiesBytesMax: count(
      256 * mebibyte,
      'Bytes of larger bodies held at a time; one client may hold a quarter of them',
    ),
    snapshotCopyBytesMax: count(
      32 * mebibyte,
      'Largest ledger in SQLite that a snapshot copies; a larger one shares its file with it until it changes much',
      0,
    ),
    snapshotBytesMax: count(16 * 1024 * mebibyte, 'Largest snapshot that a development node accepts from elsewhere'),
    headerBytesMax: count(16 * 1024, 'Largest request line and headers together'),
    connectionsMax: count(20_000, 'Open client connections'),
    strangersPerSecondMax: count(
      10_000,
      'Requests per second of one address over connections without an accepted token; as many more wait, and others get 429',
    ),
    deduplicationDurationMaxMs: count(7 * day, 'Longest deduplication period, and the one used when none is given'),
    identityProvidersMax: count(16, 'Identity provider configs'),
    jwksCacheMs: count(5 * minute, 'Time a fetched key set is used before it is fetched again'),
    jwksTimeoutMs: count(10 * second, 'Time one fetch of a key set may take'),
    tokenLifetimeMaxMs: lifetime(
      'How far ahead a token may expire; 0 or "unlimited" for no limit. Tokens of the local development secret have none',
      5 * minute,
    ),
    tokenLeewayMs: count(0, 'Clock difference allowed for exp, nbf and iat', 0),
    authorizationCacheMs: count(
      5 * second,
      'Time that verified tokens, and rights and identity providers read from the database, are reused',
      0,
    ),
    userRightsMax: count(1000, 'Rights of one user'),
    selfAllocatedPartiesMax: count(0, 'Parties a user without administrator rights may allocate for itself', 0),
    offsetCheckpointMs: count(
      15 * second,
      'Time between offset checkpoints of a busy stream; an idle one has a quarter as many',
    ),
    rejectionsKept: count(1000, 'Refused submissions that a development node remembers for /dev/rejections', 0),
    commandStatusesKept: count(
      100,
      'Commands that succeeded, and as many that failed, of which GetCommandStatus tells',
      0,
    ),
    streamsMax: count(
      1000,
      'Open update, completion and contract streams; one user, or one address without a user, may have a quarter of them',
    ),
    submissionsMax: count(20_000, 'Submissions waiting for their outcome'),
    commitQueueBytesMax: count(
      64 * mebibyte,
      'Bytes of transactions waiting to be written before commands are refused',
    ),
    ledgerTimeToleranceMs: count(minute, 'Largest difference between ledger time and record time'),
    confirmationMs: count(
      30 * second,
      'Time in which the participants of all signatories and controllers must confirm a command of a network',
    ),
    assignmentExclusivityMs: count(minute, 'Time in which only the submitter of an unassignment may assign', 0),
    preparationTimeToleranceMs: count(day, 'Largest age of a prepared transaction at execution'),
  },
  'Limits, each with the default of the Canton version that COMPAT.md names',
)

type Reading = { readonly readBytesMax: number }

/** Bytes one HTTP list call may return before it answers 413. A list is one string, and V8 limits strings to 512 Mi characters. */
export function listBytesMax({ readBytesMax }: Reading): number {
  return Math.min(Math.ceil(readBytesMax / 2), 256 * mebibyte)
}

/** Bytes after which a page ends early. */
export function pageBytesMax({ readBytesMax }: Reading): number {
  return Math.min(Math.ceil(readBytesMax / 8), 256 * mebibyte)
}

/** Open streams of one user, or of one address for callers without a user. */
export function streamsPerUserMax({ streamsMax }: { readonly streamsMax: number }): number {
  return Math.ceil(streamsMax / 4)
}

/** Time between offset checkpoints of an idle stream. */
export function idleCheckpointMs({ offsetCheckpointMs }: { readonly offsetCheckpointMs: number }): number {
  return 4 * offsetCheckpointMs
}

/** Largest request without a valid token; a larger one is refused before it is read. */
export const anonymousBodyBytesMax = 16 * 1024

/** Values in a request, not counting those inside Daml values. */
export const bodyValuesMax = 100_000

// Canton's; clients read them in the answer of /v2/version.
export const usersPageMax = 1000
export const partiesPageMax = 10_000
export const vettedPackagesPageMax = 100
