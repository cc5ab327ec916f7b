// One command from the words of a command line: who acts, its submission or a dry run, and what became of it.
import { randomUuid, systemRandom } from '../base/random.ts'
import type { PartyPlace } from '../codegen/type-description.ts'
import { type Surroundings, UsageError } from './command.ts'
import type { Transaction } from './ledger-rows.ts'
import { contractNamed } from './named-ids.ts'
import { partyNamed } from './named-parties.ts'
import type { NodeClient } from './node-client.ts'
import type { OptionTable } from './options.ts'
import { withProgress } from './progress.ts'
import { type TableFlags, tableOptions, widthFor } from './running-node.ts'
import { renderUpdate } from './transaction-tree.ts'
import type { Names } from './typed-values.ts'

export const oneCommandOptions = {
  'act-as': {
    type: 'string',
    multiple: true,
    value: 'PARTY',
    help: 'act as this party; else as the signatories or controllers, where they are clear',
  },
  'read-as': { type: 'string', multiple: true, value: 'PARTY', help: 'also read what this party sees' },
  'dry-run': { type: 'boolean', help: 'show what it would do, and record nothing; on a development node' },
  ...tableOptions,
} as const satisfies OptionTable

export type OneCommandFlags = TableFlags & {
  readonly 'act-as'?: readonly string[]
  readonly 'read-as'?: readonly string[]
  readonly 'dry-run'?: boolean
}

export const wordsNotes = `A value has the type of its field: a number, true or false, a text, a party by its hint, a contract by the beginning
of its id. A.B=VALUE is a field of a record, a case of a variant or an entry of a map. KEY=X,Y and KEY=X KEY=Y are
lists, and KEY= is an empty one; a text with commas is one item. KEY:=JSON takes any value. Optional values may be
left out.`

/** What names in values of the command stand for. */
export function namesAt(node: NodeClient): Names {
  const format = { filtersForAnyParty: { cumulative: [] }, verbose: false }
  return {
    party: (written) => partyNamed(written, node),
    contract: (written) => contractNamed(written, node, format),
  }
}

/** Who has to act, if the code of the package tells, and else whose authority it may need. */
export type Acting = { readonly required: readonly string[] | undefined; readonly concerned: readonly string[] }

export async function runOneCommand(
  command: object,
  { required, concerned }: Acting,
  flags: OneCommandFlags,
  node: NodeClient,
  surroundings: Surroundings,
): Promise<void> {
  const { print, width } = widthFor(flags, surroundings)
  const commandId = randomUuid(systemRandom)
  const readAs = await Promise.all((flags['read-as'] ?? []).map((name) => partyNamed(name, node)))
  const named = await Promise.all((flags['act-as'] ?? []).map((name) => partyNamed(name, node)))
  const actAs =
    named.length > 0
      ? named
      : (required ?? (await authorizersOf({ commandId, readAs, commands: [command] }, concerned, node)))
  const commands = { commandId, actAs, readAs, commands: [command] }
  if (flags['dry-run']) {
    const text = await (await node.post('/dev/dry-run', { commands })).text()
    return print(flags.json ? text : JSON.stringify(JSON.parse(text), null, 2))
  }
  const filtersByParty = Object.fromEntries([...actAs, ...readAs].map((party) => [party, { cumulative: [] }]))
  const transactionFormat = {
    eventFormat: { filtersByParty, verbose: false },
    transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
  }
  const path = '/v2/commands/submit-and-wait-for-transaction'
  const request = node.post(path, { commands, transactionFormat })
  const text = await (await withProgress('waiting for the transaction', surroundings, request)).text()
  if (flags.json) return print(text)
  const { transaction } = JSON.parse(text) as { transaction: Transaction }
  print(renderUpdate({ Transaction: { value: transaction } }, width))
}

type DryRunNode = {
  readonly Create?: { readonly nodeId: number; readonly signatories: readonly string[] }
  readonly Exercise?: { readonly nodeId: number; readonly actors: readonly string[] }
}

/**
 * The signatories of a contract that it creates, or the controllers of a choice, by a dry run. It acts as
 * everybody concerned, and more authority than is needed does no harm there.
 */
async function authorizersOf(
  commands: { commandId: string; readAs: readonly string[]; commands: readonly object[] },
  concerned: readonly string[],
  node: NodeClient,
): Promise<readonly string[]> {
  const unclear = 'who acts is not clear; name the parties with --act-as'
  if (concerned.length === 0) throw new UsageError(unclear)
  const response = await node.postIfServed('/dev/dry-run', { commands: { ...commands, actAs: concerned } })
  if (response === undefined) throw new UsageError(`${unclear}, because only a development node finds it out`)
  const { roots, nodes } = (await response.json()) as { roots: readonly number[]; nodes: readonly DryRunNode[] }
  const authorizers = nodes.flatMap(({ Create: create, Exercise: exercise }) => {
    const isRoot = roots.includes(create?.nodeId ?? exercise?.nodeId ?? -1)
    return isRoot ? (create?.signatories ?? exercise?.actors ?? []) : []
  })
  if (authorizers.length === 0) throw new UsageError(unclear)
  return [...new Set(authorizers)]
}

/** Where the code finds the parties that sign or control, as it is now; undefined if that is not clear. */
export function partiesAt(
  places: readonly PartyPlace[] | undefined,
  values: { readonly contract: unknown; readonly argument?: unknown; readonly signatories?: readonly string[] },
): string[] | undefined {
  const found: string[] = []
  for (const { of, path } of places ?? []) {
    const root = of === 'view' ? undefined : values[of]
    const value = path.reduce<unknown>(fieldOf, root)
    const parties = Array.isArray(value) ? value : [value]
    if (!parties.every((party) => typeof party === 'string')) return undefined
    found.push(...parties)
  }
  return found.length === 0 ? undefined : [...new Set(found)]
}

function fieldOf(value: unknown, name: string): unknown {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** Every party in a value. */
export function partiesIn(value: unknown): string[] {
  if (typeof value === 'string') return /::1220[0-9a-f]{64}$/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(partiesIn))]
}
