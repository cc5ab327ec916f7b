// Parties and users, as the API lists them, in the form of a world file; and the text of such a file, piece by piece.

export type Party = {
  readonly party: string
  readonly identityProviderId: string
  readonly localMetadata?: { readonly annotations: Readonly<Record<string, string>> } | null
}

export type User = {
  readonly id: string
  readonly primaryParty: string
  readonly isDeactivated: boolean
  readonly identityProviderId: string
  readonly primaryPartyAuthentication: boolean
  readonly metadata?: { readonly annotations: Readonly<Record<string, string>> } | null
  readonly rights: readonly {
    readonly kind: Readonly<Record<string, { readonly value: { readonly party?: string } }>>
  }[]
}

/** By party: its hint, made a name that can be referred to. */
export function aliasesFor(parties: readonly Party[]): Map<string, string> {
  const aliases = new Map<string, string>()
  const taken = new Set<string>()
  for (const { party } of parties) {
    const name = party
      .slice(0, party.lastIndexOf('::'))
      .replaceAll(/[^A-Za-z0-9_-]/g, '-')
      .replace(/^(?=[0-9-])/, '_')
    let alias = name
    for (let number = 2; taken.has(alias); number += 1) alias = `${name}-${number}`
    taken.add(alias)
    aliases.set(party, alias)
  }
  return aliases
}

const fields = [
  ['actAs', 'CanActAs'],
  ['readAs', 'CanReadAs'],
  ['executeAs', 'CanExecuteAs'],
] as const

/** Parties of other participants are named by their ids. */
export function userEntry(user: User, aliases: ReadonlyMap<string, string>): object {
  const reference = (party: string) => (aliases.has(party) ? `$${aliases.get(party)}` : party)
  const rights = user.rights.map(({ kind }) => Object.entries(kind)[0]!)
  const plain = rights.filter(([, { value }]) => value.party === undefined).map(([kind]) => kind)
  const annotations = user.metadata?.annotations ?? {}
  const entry: Record<string, unknown> = {}
  if (user.primaryParty !== '') entry.primaryParty = reference(user.primaryParty)
  for (const [field, right] of fields) {
    const parties = rights.filter(([kind]) => kind === right).map(([, { value }]) => reference(value.party!))
    if (parties.length > 0) entry[field] = parties
  }
  if (plain.length > 0) entry.rights = plain
  if (user.identityProviderId !== '') entry.identityProvider = user.identityProviderId
  if (user.isDeactivated) entry.isDeactivated = true
  if (user.primaryPartyAuthentication) entry.primaryPartyAuthentication = true
  if (Object.keys(annotations).length > 0) entry.annotations = annotations
  return entry
}

/** `submissions` are written one by one: they are most of a large file. */
export function* jsonPieces(content: object, submissions: readonly object[]): Generator<string> {
  const head = JSON.stringify(content, null, 2)
  if (submissions.length === 0) return yield `${head}\n`
  yield head === '{}' ? '{' : `${head.slice(0, -2)},`
  yield '\n  "submissions": ['
  for (const [index, one] of submissions.entries()) {
    yield `${index === 0 ? '' : ','}\n${JSON.stringify(one, null, 2).replaceAll(/^/gm, '    ')}`
  }
  yield '\n  ]\n}\n'
}

export function* yamlPieces(
  content: object,
  submissions: readonly object[],
  yamlText: (content: object) => string,
): Generator<string> {
  if (Object.keys(content).length > 0 || submissions.length === 0) yield yamlText(content)
  for (const [index, one] of submissions.entries()) {
    const text = yamlText({ submissions: [one] })
    yield index === 0 ? text : text.slice(text.indexOf('\n') + 1)
  }
}
