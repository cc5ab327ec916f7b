// A format compiled for matching: which contracts its parties see, and what they want of them. Compiled once per
// request; the rule for a template is derived when the template first occurs. Mirrors Canton's
// EventProjectionProperties and TemplatePartiesFilter.

import { topologyName } from '../../../events/format/stored-update.ts'
import type { Implementation, PackageContents, Unusable } from '../../packages/package-contents.ts'
import type { EventFormat, Filters } from './queries.ts'

/** Parties by name. */
export type PartySet = 'everybody' | ReadonlySet<string>

/** Templates by name. */
export type Templates = 'all' | readonly string[]

/** What a format says about the contracts of one template. */
export type TemplateRule = {
  /** One of them as a witness is enough. */
  readonly seenBy: PartySet
  readonly blobFor: PartySet
  readonly interfaces: readonly WantedInterface[]
}

export type WantedInterface = {
  readonly implementation: Implementation | Unusable
  readonly wantedBy: PartySet
}

/** Where to look: everywhere, or in what these parties see; for events of these templates. */
export type Search =
  | { readonly kind: 'everywhere'; readonly templates: Templates }
  | { readonly kind: 'parties'; readonly parties: ReadonlyMap<string, Templates> }

export type Matcher = {
  /** Parties to list as witnesses, even of events that only others' filters select. */
  readonly requesting: PartySet
  /** Whether a requesting witness is enough to see any event. */
  readonly isPlain: boolean
  /** Whether blobs or views may be wanted. */
  readonly wantsContracts: boolean
  readonly search: Search
  ruleFor(template: string): TemplateRule
}

type Picks = {
  readonly party: string | undefined
  readonly filters: Filters
  readonly isWildcard: boolean
  readonly templates: ReadonlySet<string>
}

/** Undefined if nothing can match, such as a filter by an interface that no template implements. */
export function createMatcher(format: EventFormat, contents: PackageContents): Matcher | undefined {
  const { filtersByParty, filtersForAnyParty } = format
  const byParty = [...filtersByParty].map(([party, filters]) => picksOf(party, filters, contents))
  if (filtersForAnyParty !== undefined) byParty.push(picksOf(undefined, filtersForAnyParty, contents))
  const picks = byParty.filter(({ isWildcard, templates }) => isWildcard || templates.size > 0)
  if (picks.length === 0) return undefined

  const isForEverybody = picks.some(({ party }) => party === undefined)
  const rules = new Map<string, TemplateRule>()
  return {
    requesting: whose(picks),
    isPlain: isForEverybody
      ? picks.some(({ party, isWildcard }) => party === undefined && isWildcard)
      : picks.every(({ isWildcard }) => isWildcard),
    wantsContracts: picks.some(({ filters }) =>
      filters.some(
        (filter) => filter.includeCreatedEventBlob || (filter.kind === 'interface' && filter.includeInterfaceView),
      ),
    ),
    search: isForEverybody
      ? { kind: 'everywhere', templates: templatesOf(picks) }
      : { kind: 'parties', parties: new Map(picks.map((pick) => [pick.party!, templatesOf([pick])])) },
    ruleFor(template) {
      let rule = rules.get(template)
      if (rule === undefined) {
        rule = ruleOf(template, picks, contents)
        rules.set(template, rule)
      }
      return rule
    },
  }
}

/** Changes of the topology of these parties, or of all when there are none. */
export function topologySearch(parties: readonly string[]): Search {
  const lists = parties.length === 0 ? [topologyName] : parties
  return { kind: 'parties', parties: new Map(lists.map((list) => [list, [topologyName]])) }
}

/** A search that finds everything that either finds. */
export function unitedSearch(a: Search, b: Search): Search {
  if (a.kind === 'everywhere' || b.kind === 'everywhere') {
    return { kind: 'everywhere', templates: [...templatesIn(a), ...templatesIn(b)].reduce(unitedTemplates) }
  }
  const parties = new Map(a.parties)
  for (const [party, templates] of b.parties) {
    parties.set(party, unitedTemplates(parties.get(party) ?? [], templates))
  }
  return { kind: 'parties', parties }
}

function templatesIn(search: Search): readonly Templates[] {
  return search.kind === 'everywhere' ? [search.templates] : [...search.parties.values()]
}

function unitedTemplates(a: Templates, b: Templates): Templates {
  return a === 'all' || b === 'all' ? 'all' : [...new Set([...a, ...b])]
}

function picksOf(party: string | undefined, filters: Filters, contents: PackageContents): Picks {
  const templates = filters.flatMap((filter) => {
    if (filter.kind === 'wildcard') return []
    return filter.kind === 'template' ? [filter.templateId] : contents.implementersOf(filter.interfaceId)
  })
  const isWildcard = filters.length === 0 || filters.some(({ kind }) => kind === 'wildcard')
  return { party, filters, isWildcard, templates: new Set(templates) }
}

function ruleOf(template: string, picks: readonly Picks[], contents: PackageContents): TemplateRule {
  const implemented = (interfaceName: string) => contents.implementersOf(interfaceName).includes(template)
  const wanting = (want: (filter: Filters[number]) => boolean) => whose(picks.filter((pick) => pick.filters.some(want)))
  const interfaces = new Set(
    picks.flatMap(({ filters }) =>
      filters.flatMap((filter) =>
        filter.kind === 'interface' && filter.includeInterfaceView && implemented(filter.interfaceId)
          ? [filter.interfaceId]
          : [],
      ),
    ),
  )
  return {
    seenBy: whose(picks.filter((pick) => pick.isWildcard || pick.templates.has(template))),
    blobFor: wanting((filter) => {
      if (!filter.includeCreatedEventBlob) return false
      if (filter.kind === 'wildcard') return true
      return filter.kind === 'template' ? filter.templateId === template : implemented(filter.interfaceId)
    }),
    interfaces: [...interfaces].map((name) => ({
      implementation: contents.implementation(template, name)!,
      wantedBy: wanting(
        (filter) => filter.kind === 'interface' && filter.interfaceId === name && filter.includeInterfaceView,
      ),
    })),
  }
}

function whose(picks: readonly Picks[]): PartySet {
  const parties = picks.map(({ party }) => party)
  return parties.includes(undefined) ? 'everybody' : new Set(parties as string[])
}

function templatesOf(picks: readonly Picks[]): Templates {
  if (picks.some(({ isWildcard }) => isWildcard)) return 'all'
  return [...new Set(picks.flatMap(({ templates }) => [...templates]))]
}
