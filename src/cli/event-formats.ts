// The formats that commands ask for: by party and template, or everything.

import { partyNamed } from './named-parties.ts'
import { templateIdNamed } from './named-templates.ts'
import type { NodeClient } from './node-client.ts'

export type FormatFlags = { readonly party?: readonly string[]; readonly template?: readonly string[] }

export type EventFormat = {
  readonly filtersByParty?: Readonly<Record<string, object>>
  readonly filtersForAnyParty?: object
  readonly verbose: boolean
}

export async function eventFormat({ party = [], template = [] }: FormatFlags, node: NodeClient): Promise<EventFormat> {
  const cumulative: object[] = []
  for (const text of template) {
    const value = { templateId: await templateFrom(text, node), includeCreatedEventBlob: false }
    cumulative.push({ identifierFilter: { TemplateFilter: { value } } })
  }
  if (party.length === 0) return { filtersForAnyParty: { cumulative }, verbose: false }
  const parties: string[] = []
  for (const name of party) parties.push(await partyNamed(name, node))
  return { filtersByParty: Object.fromEntries(parties.map((id) => [id, { cumulative }])), verbose: false }
}

/** With or without the # of a package name; only the end of it is looked up. */
async function templateFrom(text: string, node: NodeClient): Promise<string> {
  if (text.split(':').length !== 3) return templateIdNamed(text, node)
  return text.startsWith('#') || /^[0-9a-f]{64}:/.test(text) ? text : `#${text}`
}

/** Topology is that of the same parties, because all parties need another right. */
export function updateFormat(format: EventFormat): object {
  const parties = Object.keys(format.filtersByParty ?? {})
  return {
    includeTransactions: { eventFormat: format, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' },
    includeReassignments: format,
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
  }
}
