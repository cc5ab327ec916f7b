// Everything that a node remembers of the ledger's rows, what change by another node drops it, and which refusals of
// commands may rest on it. A row without a kind is of something that never changes. `test/remembered.test.ts` fails for a cache without a row here; the types demand a
// way to drop every row that has kinds.
import { type ErrorCode, LedgerError } from '../../base/errors.ts'
import type { Kind } from '../../store/core/sharing.ts'

type Remembered = {
  /** The variables, as `file variable`. */
  readonly where: readonly string[]
  /** Changed rows of these kinds drop it. */
  readonly droppedBy: readonly Kind[]
  /** A command that is refused with one of these may have been refused because of what was remembered. */
  readonly refusals?: readonly ErrorCode[]
}

const never: readonly [] = []

export const remembered = {
  'users and their rights': { where: ['ledger/administration/users.ts cache'], droppedBy: ['users'] },
  'identity providers and verified tokens': {
    where: ['ledger/administration/identity-providers.ts byIssuer', 'auth/tokens.ts verified'],
    droppedBy: ['identityProviders'],
  },
  'hosting of parties': {
    where: ['ledger/topology/hosting.ts known'],
    droppedBy: ['parties'],
    refusals: [
      'UNKNOWN_SUBMITTERS',
      'UNKNOWN_INFORMEES',
      'SUBMITTERS_NOT_ACTIVE',
      'INFORMEES_NOT_ACTIVE',
      'NO_COMMON_SYNCHRONIZER',
    ],
  },
  'keys of external parties': {
    where: ['ledger/topology/party-keys.ts known'],
    droppedBy: ['parties'],
    refusals: ['NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT', 'FAILED_TO_EXECUTE_TRANSACTION'],
  },
  'packages, vetting and their contents': {
    where: [
      'ledger/packages/known-packages.ts loading',
      'ledger/packages/known-packages.ts loaded',
      'ledger/packages/known-packages.ts byId',
      'ledger/packages/known-packages.ts byName',
      'ledger/packages/known-packages.ts vettings',
      'ledger/packages/package-contents.ts loading',
      'ledger/packages/package-contents.ts byPackage',
      'ledger/packages/package-contents.ts templates',
      'ledger/packages/package-contents.ts interfaces',
      'ledger/packages/package-contents.ts implementers',
      'ledger/packages/upgrade-checks.ts loading',
      'ledger/packages/upgrade-checks.ts stored',
      'ledger/routing/package-selection.ts remembered',
    ],
    droppedBy: ['packages'],
    refusals: [
      'JSON_API_PACKAGE_SELECTION_FAILED',
      'PACKAGE_NAMES_NOT_FOUND',
      'PACKAGE_NOT_FOUND',
      'TEMPLATES_OR_INTERFACES_NOT_FOUND',
      'COMMAND_PREPROCESSING_FAILED',
      'NO_SYNCHRONIZER_FOR_SUBMISSION',
    ],
  },
  synchronizers: {
    where: [
      'ledger/model/synchronizers.ts byNumber',
      'ledger/model/synchronizers.ts connected',
      'ledger/model/synchronizers.ts byId',
    ],
    droppedBy: ['synchronizers'],
    refusals: [
      'NOT_CONNECTED_TO_ANY_SYNCHRONIZER',
      'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
      'UNKNOWN_CONTRACT_SYNCHRONIZERS',
    ],
  },
  'static time, and how far time is ahead': { where: [], droppedBy: ['facts'] },
  'whether a participant of a network is stopped or delayed': { where: [], droppedBy: ['facts'] },

  'numbers of names: a name keeps its number': {
    where: ['ledger/model/name-numbers.ts numbers', 'ledger/model/name-numbers.ts texts'],
    droppedBy: never,
  },
  'which package upgrades which: depends on the two alone': {
    where: ['ledger/packages/upgrade-checks.ts byPresent'],
    droppedBy: never,
  },
  'decoded packages: a package is known by its hash': {
    where: [
      'ledger/packages/decoded-packages.ts entries',
      'ledger/packages/package-thread.ts seen',
      'events/protobuf/event-plans.ts known',
      'api/descriptions/documents.ts ofPackages',
    ],
    droppedBy: never,
  },
  'views of contracts: a contract does not change': {
    where: ['ledger/reading/json/contract-views.ts remembered'],
    droppedBy: never,
  },
  'compiled formats: their key has the version of the packages': {
    where: ['ledger/reading/json/compiled-formats.ts latest', 'ledger/reading/json/update-elements.ts outlines'],
    droppedBy: never,
  },
  'updates, completions and counts up to an offset: the past does not change': {
    where: [
      'ledger/reading/rows/read-ahead.ts expected',
      'ledger/reading/rows/shared-reads.ts reads',
      'ledger/reading/rows/update-metas.ts outlines',
      'ledger/reading/rows/update-metas.ts parsed',
      'ledger/finding/contract-counts.ts kept',
    ],
    droppedBy: never,
  },
} as const satisfies Readonly<Record<string, Remembered>>

type Table = typeof remembered

const refusals: ReadonlySet<string> = new Set(
  Object.values<Remembered>(remembered).flatMap((row) => row.refusals ?? []),
)

/** Whether a command may have been refused because of what was remembered. */
export function restsOnMemory(error: unknown): boolean {
  return error instanceof LedgerError && refusals.has(error.code)
}

/** Names of what changes may drop. */
export type Droppable = {
  [Name in keyof Table]: Table[Name]['droppedBy'] extends readonly [] ? never : Name
}[keyof Table]

export type Drops = Readonly<Record<Droppable, () => void | Promise<void>>>

/** Drops what is remembered of these kinds, or reads it anew. */
export async function drop(changed: ReadonlySet<Kind>, drops: Drops): Promise<void> {
  const due = (Object.keys(drops) as Droppable[]).filter((name) => {
    return remembered[name].droppedBy.some((kind) => changed.has(kind))
  })
  await Promise.all(due.map((name) => drops[name]()))
}
