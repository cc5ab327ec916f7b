// The active contracts of a running node as the submissions of a world file: in the order of their creation, parties by
// their aliases, and contracts that others refer to by labels. What a file cannot create is left out, with the reason.
import { StartError } from '../base/errors.ts'
import type { CreatedEvent } from './ledger-rows.ts'
import type { NodeClient } from './node-client.ts'
import { getJson } from './running-node.ts'

/** A node reads a world file at once and runs its submissions one by one. */
const contractsMax = 10_000
const bytesMax = 16 * 1024 * 1024
/** Contracts of one submission. */
const commandsMax = 100

export type ActiveContract = {
  readonly created: CreatedEvent
  /** The alias of its synchronizer; undefined while it is on its way to another. */
  readonly synchronizer: string | undefined
}

type Entry = {
  readonly contractEntry: {
    readonly JsActiveContract?: { readonly createdEvent: CreatedEvent; readonly synchronizerId: string }
    readonly JsIncompleteUnassigned?: { readonly createdEvent: CreatedEvent }
  }
}

/** In the order of their creation. Throws if there are too many for a world file. */
export async function readContracts(node: NodeClient, aliases: ReadonlyMap<string, string>): Promise<ActiveContract[]> {
  const { offset } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
  const eventFormat = { filtersForAnyParty: { cumulative: [] }, verbose: false }
  const contracts: ActiveContract[] = []
  let bytes = 0
  const request = { activeAtOffset: offset, eventFormat }
  const advice = '--without-contracts leaves the contracts out'
  for await (const line of node.lines('/v2/state/active-contracts', request, advice)) {
    const { JsActiveContract: active, JsIncompleteUnassigned: leaving } = (JSON.parse(line) as Entry).contractEntry
    const created = active?.createdEvent ?? leaving?.createdEvent
    if (created === undefined) continue
    contracts.push({ created, synchronizer: active && (aliases.get(active.synchronizerId) ?? active.synchronizerId) })
    bytes += line.length
    if (contracts.length > contractsMax || bytes > bytesMax) {
      throw new StartError(
        `a world file takes at most ${contractsMax} contracts of ${bytesMax / 1024 / 1024} MiB, and the ledger has more; ` +
          'leave them out with --without-contracts, or carry the whole ledger with tallystick snapshot export',
      )
    }
  }
  return contracts.sort((a, b) => a.created.offset - b.created.offset || a.created.nodeId - b.created.nodeId)
}

/** Each contract once, in the order of their creation: offsets are those of a participant. */
export function mergedContracts(lists: readonly (readonly ActiveContract[])[]): readonly ActiveContract[] {
  if (lists.length === 1) return lists[0]!
  const byId = new Map(lists.flat().map((one) => [one.created.contractId, one]))
  return [...byId.values()].sort((a, b) => Date.parse(a.created.createdAt) - Date.parse(b.created.createdAt))
}

export type WorldSubmissions = {
  readonly submissions: object[]
  readonly leftOut: readonly { readonly contract: CreatedEvent; readonly reason: string }[]
  /** Contracts that are referred to, but not in the file: their ids are kept. */
  readonly unknownReferences: number
}

type Submission = {
  readonly actAs: readonly string[]
  readonly synchronizer: string | undefined
  readonly commands: Command[]
  /** The contracts that it creates: nothing in it can refer to them. */
  readonly ids: Set<string>
}
type Command = { readonly CreateCommand: object; labels?: string[] }

/**
 * `parties` has the aliases of the parties in the file, `templateIdOf` the name by which a new node finds the same version,
 * and `usualSynchronizer` needs no mention.
 */
export function submissionsFor(
  contracts: readonly ActiveContract[],
  parties: ReadonlyMap<string, string>,
  templateIdOf: (created: CreatedEvent) => string,
  usualSynchronizer: string | undefined,
): WorldSubmissions {
  const leftOut = contracts.flatMap((contract) => {
    const reason = whyNot(contract, parties)
    return reason === undefined ? [] : [{ contract: contract.created, reason }]
  })
  const missing = new Set(leftOut.map(({ contract }) => contract.contractId))
  const exported = contracts.filter(({ created }) => !missing.has(created.contractId))
  const byId = new Map(exported.map((one) => [one.created.contractId, one]))
  const labels = labelsFor(exported, byId, new Set(parties.values()))
  const unknown = new Set<string>()
  const submissions: Submission[] = []
  const before = new Set<string>()
  for (const { created, synchronizer } of inOrderOfReferences(exported, byId)) {
    const { contractId, createArgument, signatories } = created
    const actAs = signatories.map((party) => `$${parties.get(party)!}`)
    const used = new Set<string>()
    const createArguments = withReferences(createArgument, (text) => {
      if (before.has(text)) used.add(text)
      else if (contractIdPattern.test(text)) unknown.add(text)
      return before.has(text) ? labels.get(text) : parties.get(text)
    })
    before.add(contractId)
    const label = labels.get(contractId)
    const command = {
      CreateCommand: { templateId: templateIdOf(created), createArguments },
      ...(label !== undefined && { labels: [label] }),
    }
    const place = synchronizer === usualSynchronizer ? undefined : synchronizer
    const last = submissions.at(-1)
    const fits = last !== undefined && last.commands.length < commandsMax && last.synchronizer === place
    if (fits && sameNames(last.actAs, actAs) && used.isDisjointFrom(last.ids)) {
      last.commands.push(command)
      last.ids.add(contractId)
    } else submissions.push({ actAs, synchronizer: place, commands: [command], ids: new Set([contractId]) })
  }
  return {
    submissions: submissions.map(({ actAs, synchronizer, commands }) => ({
      actAs,
      ...(synchronizer !== undefined && { synchronizer }),
      commands,
    })),
    leftOut,
    unknownReferences: unknown.size,
  }
}

const contractIdPattern = /^00[0-9a-f]{136}$/

function whyNot({ created, synchronizer }: ActiveContract, parties: ReadonlyMap<string, string>): string | undefined {
  if (synchronizer === undefined) return 'it is on its way to another synchronizer'
  const signatory = created.signatories.find((party) => !parties.has(party))
  if (signatory !== undefined) return `its signatory ${signatory} is not a party of the file`
  const namespaces = new Set(created.signatories.map((party) => party.slice(party.lastIndexOf('::'))))
  if (namespaces.size > 1) return 'its signatories are parties of several participants'
  const observer = created.observers.find((party) => !parties.has(party))
  return observer === undefined ? undefined : `its observer ${observer} is not a party of the file`
}

/** For the contracts that others refer to: `Iou-1`. */
function labelsFor(
  contracts: readonly ActiveContract[],
  byId: ReadonlyMap<string, ActiveContract>,
  taken: ReadonlySet<string>,
): Map<string, string> {
  const referred = new Set(contracts.flatMap(({ created }) => referencesOf(created, byId)))
  const labels = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const { created } of contracts) {
    if (!referred.has(created.contractId)) continue
    const name = created.templateId.slice(created.templateId.lastIndexOf(':') + 1).replaceAll(/[^A-Za-z0-9_-]/g, '_')
    let label: string
    do {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      label = `${name}-${counts.get(name)}`
    } while (taken.has(label))
    labels.set(created.contractId, label)
  }
  return labels
}

function referencesOf({ createArgument }: CreatedEvent, byId: ReadonlyMap<string, ActiveContract>): string[] {
  const found: string[] = []
  withReferences(createArgument, (text) => {
    if (byId.has(text)) found.push(text)
    return undefined
  })
  return found
}

/** A contract comes after those that it refers to, also if it was moved between synchronizers before them. */
function inOrderOfReferences(
  contracts: readonly ActiveContract[],
  byId: ReadonlyMap<string, ActiveContract>,
): ActiveContract[] {
  const ordered = new Set<ActiveContract>()
  for (const contract of contracts) {
    const pending = [contract]
    const seen = new Set<ActiveContract>()
    for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
      const isFirst = !seen.has(next) && !ordered.has(next)
      seen.add(next)
      const before = isFirst ? referencesOf(next.created, byId).map((id) => byId.get(id)!) : []
      const waiting = before.filter((one) => !ordered.has(one) && !seen.has(one))
      if (waiting.length > 0) pending.push(...waiting)
      else {
        ordered.add(next)
        pending.pop()
      }
    }
  }
  return [...ordered]
}

/** `name` gives the alias or the label for a text that is an id. */
function withReferences(value: unknown, name: (text: string) => string | undefined): unknown {
  if (typeof value === 'string') {
    const found = name(value)
    if (found !== undefined) return `$${found}`
    return value.startsWith('$') ? `$${value}` : value
  }
  if (Array.isArray(value)) return value.map((item) => withReferences(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withReferences(part, name)]))
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index])
}
