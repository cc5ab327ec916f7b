// Everything that a node remembers of the ledger's rows, and what change by another node drops it. A row without a kind
// is of something that never changes. `test/remembered.test.ts` fails for a cache without a row here; the types demand a
// way to drop every row that has kinds.
import type { Kind } from '../store/sharing.ts'

type Remembered = {
  /** The variables, as `file variable`. */
  readonly where: readonly string[]
  /** Changed rows of these kinds drop it. */
  readonly droppedBy: readonly Kind[]
}

const never: readonly [] = []

export const remembered = {
  'users and their rights': { where: ['ledger/administration/users.ts cache'], droppedBy: ['users'] },
  'identity providers and verified tokens': {
    where: ['ledger/administration/identity-providers.ts byIssuer', 'auth/tokens.ts verified'],
    droppedBy: ['identityProviders'],
  },
  'hosting of parties': { where: ['ledger/administration/hosting.ts known'], droppedBy: ['parties'] },
  'keys of external parties': { where: ['ledger/administration/party-keys.ts known'], droppedBy: ['parties'] },
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
      'ledger/packages/package-selection.ts remembered',
    ],
    droppedBy: ['packages'],
  },
  synchronizers: {
    where: ['ledger/synchronizers.ts byNumber', 'ledger/synchronizers.ts connected', 'ledger/synchronizers.ts byId'],
    droppedBy: ['synchronizers'],
  },
  'static time, and how far time is ahead': { where: [], droppedBy: ['facts'] },

  'numbers of names: a name keeps its number': {
    where: ['ledger/names.ts numbers', 'ledger/names.ts texts'],
    droppedBy: never,
  },
  'which package upgrades which: depends on the two alone': {
    where: ['ledger/packages/upgrade-verdicts.ts byPresent'],
    droppedBy: never,
  },
  'decoded packages: a package is known by its hash': {
    where: [
      'ledger/packages/decoded-packages.ts entries',
      'ledger/packages/package-thread.ts seen',
      'grpc/event-plans.ts known',
      'http/documents.ts ofPackages',
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
  'updates and completions up to an offset: the past does not change': {
    where: [
      'ledger/reading/rows/read-ahead.ts expected',
      'ledger/reading/rows/shared-reads.ts reads',
      'ledger/reading/rows/update-metas.ts outlines',
      'ledger/reading/rows/update-metas.ts parsed',
    ],
    droppedBy: never,
  },
} as const satisfies Readonly<Record<string, Remembered>>

type Table = typeof remembered

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
