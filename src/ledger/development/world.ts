// A world file that was read and checked, before anything is changed: its form, its references, its DAR files. What is
// left to find out is what only the ledger knows.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import { isDevelopment, type Settings, synchronizersOf } from '../../base/settings.ts'
import { readWorldFile, type WorldFile, type WorldPath } from './world-file.ts'
import { checkForm } from './world-form.ts'
import { commandWithout, type Lookup, partiesWithout, textWithout } from './world-references.ts'
import { commandKinds, partyFields, type WorldContent, type WorldSubmission } from './world-schema.ts'

export type World = {
  readonly content: WorldContent
  readonly dars: readonly Uint8Array[]
  readonly darFiles: readonly string[]
  /** Changes whenever the world does. */
  readonly digest: string
  readonly problem: WorldFile['problem']
}

export function openWorld(path: string, settings: Settings): { readonly world: World; readonly settings: Settings } {
  if (!isDevelopment(settings)) throw new StartError('a world file is for development nodes')
  const file = readWorldFile(path)
  const content = checkForm(file)
  const effective = withSynchronizers(content, settings, file)
  checkNames(content, file)
  checkPlaces(content, new Set(synchronizersOf(effective).map(({ alias }) => alias)), file)
  checkReferences(content, file)
  const darFiles = (content.dars ?? []).map((dar) => file.resolve(dar))
  const dars = darFiles.map((dar, index) => darAt(dar, ['dars', index], file))
  const digest = createHash('sha256').update(JSON.stringify(content))
  for (const bytes of dars) digest.update(createHash('sha256').update(bytes).digest())
  return {
    world: { content, dars, darFiles, digest: digest.digest('hex'), problem: file.problem },
    settings: effective,
  }
}

function withSynchronizers({ synchronizers }: WorldContent, settings: Settings, file: WorldFile): Settings {
  if (synchronizers === undefined) return settings
  if (settings.synchronizers !== undefined) {
    throw file.problem(['synchronizers'], 'the settings name synchronizers as well; name them in one place')
  }
  checkDistinct(
    synchronizers.map(({ alias }) => alias),
    (index, alias) => file.problem(['synchronizers', index, 'alias'], `two synchronizers are called ${alias}`),
  )
  return { ...settings, synchronizers: synchronizers.map((one) => ({ priority: 0, ...one })) }
}

function checkNames({ parties = {}, identityProviders = {} }: WorldContent, file: WorldFile): void {
  const aliases = Object.keys(parties)
  checkDistinct(
    aliases.map((alias) => parties[alias]!.hint ?? alias),
    (index, hint) => file.problem(['parties', aliases[index]!], `another party has the hint ${hint}, too`),
  )
  const ids = Object.keys(identityProviders)
  checkDistinct(
    ids.map((id) => identityProviders[id]!.issuer),
    (index) => file.problem(['identityProviders', ids[index]!, 'issuer'], 'another identity provider has it, too'),
  )
}

function checkPlaces(content: WorldContent, aliases: ReadonlySet<string>, file: WorldFile): void {
  const { parties = {}, users = {}, submissions = [], identityProviders = {} } = content
  const checkSynchronizer = (alias: string | undefined, path: WorldPath) => {
    if (alias === undefined || aliases.has(alias)) return
    throw file.problem(path, `there is no synchronizer ${alias}, only ${[...aliases].join(', ')}`)
  }
  const checkProvider = (id: string | undefined, path: WorldPath) => {
    if (id === undefined || Object.hasOwn(identityProviders, id)) return
    throw file.problem(path, `there is no identity provider ${id} in this file`)
  }
  for (const [alias, { synchronizers = [], identityProvider }] of Object.entries(parties)) {
    const at = ['parties', alias]
    for (const [index, one] of synchronizers.entries()) checkSynchronizer(one, [...at, 'synchronizers', index])
    checkProvider(identityProvider, [...at, 'identityProvider'])
  }
  for (const [id, { identityProvider }] of Object.entries(users)) {
    checkProvider(identityProvider, ['users', id, 'identityProvider'])
  }
  for (const [index, { synchronizer }] of submissions.entries()) {
    checkSynchronizer(synchronizer, ['submissions', index, 'synchronizer'])
  }
}

function checkReferences({ parties = {}, users = {}, submissions = [] }: WorldContent, file: WorldFile): void {
  const labels = new Set<string>()
  const look = lookupIn(
    (name) => (Object.hasOwn(parties, name) ? name : undefined),
    (name) => (labels.has(name) ? name : undefined),
    file,
  )
  for (const [id, user] of Object.entries(users)) {
    const at = ['users', id]
    if (user.primaryParty !== undefined) textWithout(user.primaryParty, [...at, 'primaryParty'], look, 'party')
    for (const field of fieldsOfParties) partiesWithout(user[field] ?? [], [...at, field], look)
  }
  for (const [index, submission] of submissions.entries()) {
    const at = ['submissions', index]
    checkSubmission(submission, at, look, file)
    // Contracts are known once their transaction is.
    for (const [number, { labels: given = [] }] of submission.commands.entries()) {
      for (const [place, label] of given.entries()) {
        const path = [...at, 'commands', number, 'labels', place]
        if (Object.hasOwn(parties, label)) throw file.problem(path, `a party has the alias ${label}`)
        if (labels.has(label)) throw file.problem(path, `another contract has the label ${label}`)
        labels.add(label)
      }
    }
  }
}

export const fieldsOfParties = Object.keys(partyFields) as (keyof typeof partyFields)[]

function checkSubmission(
  { actAs, readAs = [], commands }: WorldSubmission,
  at: WorldPath,
  look: Lookup,
  file: WorldFile,
) {
  partiesWithout(actAs, [...at, 'actAs'], look)
  partiesWithout(readAs, [...at, 'readAs'], look)
  for (const [number, command] of commands.entries()) {
    const path = [...at, 'commands', number]
    const kinds = commandKinds.filter((kind) => command[kind] !== undefined)
    if (kinds.length !== 1) throw file.problem(path, `expected exactly one of ${commandKinds.join(', ')}`)
    commandWithout(command, path, look)
  }
}

/** Finds what names stand for, and says what is wrong with the others. */
export function lookupIn(
  party: (alias: string) => string | undefined,
  contract: (label: string) => string | undefined,
  file: Pick<WorldFile, 'problem'>,
): Lookup {
  return (name, path, wanted) => {
    const found = { party: party(name), contract: contract(name) }
    if (wanted === 'party' && found.contract !== undefined) throw file.problem(path, `$${name} is a contract, no party`)
    if (wanted === 'contract' && found.party !== undefined) throw file.problem(path, `$${name} is a party, no contract`)
    const value = found.party ?? found.contract
    if (value !== undefined) return value
    const what = { party: 'no party', contract: 'no contract before it', any: 'no party and no contract before it' }
    const remedy = wanted === 'any' ? `; write $$${name} for a text that begins with a $` : ''
    throw file.problem(path, `there is ${what[wanted]} called ${name}${remedy}`)
  }
}

function darAt(path: string, place: WorldPath, file: WorldFile): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    throw file.problem(place, `cannot read the DAR: ${(error as Error).message}`)
  }
}

function checkDistinct(names: readonly string[], problem: (index: number, name: string) => StartError): void {
  const index = names.findIndex((name, at) => names.indexOf(name) < at)
  if (index >= 0) throw problem(index, names[index]!)
}
