// Contracts and updates by the beginning of their ids, also as a table cuts them (00ab…).
import { StartError } from '../base/errors.ts'
import { UsageError } from './command.ts'
import { type EventFormat, updateFormat } from './event-formats.ts'
import { onlyOne, withoutMark } from './named-parties.ts'
import type { NodeClient } from './node-client.ts'
import { getJson } from './running-node.ts'

/** A node without the search of Tallystick is read: at most so many active contracts, and the last updates. */
const contractsRead = 10_000
const updatesRead = 1_000

const where = `, among the first ${contractsRead} active contracts and the last ${updatesRead} updates; give the whole id`

const wholeContract = /^[0-9a-f]{138}$/
const wholeUpdate = /^1220[0-9a-f]{64}$/
/** The shortest contract id that there may be. */
const contractLengthMin = 66

/** Contracts and updates are those that the format shows. */
export async function contractNamed(written: string, node: NodeClient, format: EventFormat): Promise<string> {
  const id = withoutMark(written)
  if (wholeContract.test(id)) return id
  if (!/^[0-9a-f]+$/.test(id)) throw new UsageError(`${written} is not a contract id, nor the beginning of one`)
  if (id.length < 3) throw new UsageError(`${id} begins every contract id; give more of it`)
  const searched = await placesNamed(id, node, format)
  const places = searched ?? [...(await activeContractsWith(id, node, format)), ...(await lastUpdates(node, format))]
  const found = new Set(places.flatMap(({ contractId }) => contractId ?? []).filter((one) => one.startsWith(id)))
  if (found.size > 0) return onlyOne([...found], `several contracts begin with ${id}`)
  if (id.length >= contractLengthMin) return id
  throw new StartError(`no contract begins with ${id}${searched === undefined ? where : ''}`)
}

export async function updateNamed(
  written: string,
  node: NodeClient,
  format: EventFormat,
): Promise<{ offset: number } | { updateId: string }> {
  const id = withoutMark(written)
  // An update id begins with 1220, and may go on with digits.
  if (/^\d{1,15}$/.test(id) && !/^1220./.test(id)) return { offset: Number(id) }
  if (wholeUpdate.test(id)) return { updateId: id }
  if (!/^[0-9a-f]+$/.test(id)) throw new UsageError(`${written} is neither an offset nor the beginning of an update id`)
  const places = await placesNamed(id, node, format)
  const found = (places ?? (await lastUpdates(node, format))).flatMap(({ updateId }) => updateId ?? [])
  const named = [...new Set(found.filter((one) => one.startsWith(id)))]
  if (named.length > 0) return { updateId: onlyOne(named, `several updates begin with ${id}`) }
  if (/^\d{1,15}$/.test(id)) return { offset: Number(id) }
  throw new StartError(`no update begins with ${id}${places === undefined ? where : ''}`)
}

type Place = { readonly contractId?: string; readonly updateId?: string; readonly isActive?: boolean }

/** What the node finds; undefined if it has no search. Contracts are told with whether they are active. */
export async function placesNamed(
  text: string,
  node: NodeClient,
  eventFormat: EventFormat,
): Promise<readonly Place[] | undefined> {
  const request = { text, eventFormat, inValues: false }
  const response = await node.postIfServed('/explorer/find/places', request)
  return response && ((await response.json()) as { places: readonly Place[] }).places
}

async function activeContractsWith(prefix: string, node: NodeClient, eventFormat: EventFormat): Promise<Place[]> {
  const { offset } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
  const found: Place[] = []
  let read = 0
  for await (const line of node.lines('/v2/state/active-contracts', { activeAtOffset: offset, eventFormat })) {
    const contractId = /"contractId":"([0-9a-f]+)"/.exec(line)?.[1]
    if (contractId?.startsWith(prefix)) found.push({ contractId })
    read += 1
    if (read === contractsRead) break
  }
  return found
}

async function lastUpdates(node: NodeClient, format: EventFormat): Promise<Place[]> {
  const { offset } = await getJson<{ offset: number }>(node, '/v2/state/ledger-end')
  const pruned = await getJson<{ participantPrunedUpToInclusive: number }>(node, '/v2/state/latest-pruned-offsets')
  const beginExclusive = Math.max(pruned.participantPrunedUpToInclusive, offset - updatesRead)
  if (beginExclusive >= offset) return []
  const request = { beginExclusive, endInclusive: offset, updateFormat: updateFormat(format) }
  const places: Place[] = []
  for await (const line of node.lines('/v2/updates', request)) {
    for (const [, kind, id] of line.matchAll(/"(updateId|contractId)":"([0-9a-f]+)"/g)) places.push({ [kind!]: id })
  }
  return places
}
