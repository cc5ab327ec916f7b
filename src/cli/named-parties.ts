// Parties as people write them: by their hints, or by the beginning of their ids. What may mean several ids is a mistake
// of the command line, and the candidates are named.
import { StartError } from '../base/errors.ts'
import { UsageError } from './command.ts'
import type { NodeClient } from './node-client.ts'
import { getJson, pagesOf } from './running-node.ts'

/** Ids that are named before the rest is counted. */
const candidatesShown = 10

const wholeParty = /::1220[0-9a-f]{64}$/

export type PartyDetails = {
  readonly party: string
  readonly isLocal: boolean
  readonly identityProviderId: string
  readonly localMetadata?: { readonly annotations: Readonly<Record<string, string>> } | null
}

export async function partyNamed(written: string, node: NodeClient): Promise<string> {
  if (wholeParty.test(written)) return written
  const name = withoutMark(written)
  // A whole hint wins over longer ones that begin so.
  const prefixes = name.includes('::') ? [name] : [`${name}::`, name]
  for (const prefix of prefixes) {
    const path = `/v2/parties?filter-party=${encodeURIComponent(prefix)}`
    const { partyDetails } = await getJson<{ partyDetails: PartyDetails[] }>(node, path)
    const found = partyDetails.map(({ party }) => party)
    if (found.length > 0) return onlyOne(found, `several parties begin with ${name}`)
  }
  throw new StartError(`there is no party ${name}; tallystick party add ${name} makes one`)
}

export async function listParties(node: NodeClient): Promise<PartyDetails[]> {
  const parties: PartyDetails[] = []
  for await (const page of pagesOf<{ partyDetails: PartyDetails[]; nextPageToken: string }>(node, '/v2/parties')) {
    parties.push(...page.partyDetails)
  }
  return parties
}

/** Without the mark of a table that cut it. */
export function withoutMark(written: string): string {
  return written.replace(/…$/, '')
}

export function onlyOne(found: readonly string[], problem: string): string {
  if (found.length === 1) return found[0]!
  const more = found.length - candidatesShown
  const rest = more > 0 ? ` and ${more} more` : ''
  throw new UsageError(`${problem}: ${found.slice(0, candidatesShown).join(', ')}${rest}`)
}
