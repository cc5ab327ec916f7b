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
import {
  checkAliases,
  checkSubmitters,
  partiesOf,
  sectionsOf,
  type WorldParty,
  type WorldSection,
} from './world-sections.ts'

export type World = {
  readonly content: WorldContent
  readonly sections: readonly WorldSection[]
  /** By alias. */
  readonly parties: ReadonlyMap<string, WorldParty>
  readonly dars: readonly WorldDar[]
  /** Changes whenever the world does. */
  readonly digest: string
  readonly problem: WorldFile['problem']
}

export type WorldDar = {
  readonly file: string
  readonly bytes: Uint8Array
  /** The participant that gets it; undefined for all. */
  readonly participant: string | undefined
  readonly path: WorldPath
}

/** A participant of the node, as its settings or the file describe it. */
type Participant = { readonly name: string; readonly synchronizers?: readonly string[] | undefined }

export function openWorld(path: string, settings: Settings): { readonly world: World; readonly settings: Settings } {
  if (!isDevelopment(settings)) throw new StartError('a world file is for development nodes')
  const file = readWorldFile(path)
  const content = checkForm(file)
  const effective = withNetwork(content, withSynchronizers(content, settings, file), file)
  const { participants } = effective.network
  const known: readonly Participant[] = participants.length > 0 ? participants : [settings.participant]
  const sections = sectionsOf(content)
  checkAliases(sections, file)
  const parties = partiesOf(sections)
  checkNames(sections, parties, known, file)
  checkPlaces(sections, content, { effective, known }, file)
  checkReferences(sections, parties, content.submissions ?? [], file)
  for (const [index, submission] of content.submissions?.entries() ?? []) {
    checkSubmitters(submission, ['submissions', index], { parties, first: known[0]!.name }, file)
  }
  const dars = sections.flatMap(({ participant, path, content }) =>
    (content.dars ?? []).map((dar, index) => darAt(file.resolve(dar), [...path, 'dars', index], participant, file)),
  )
  const digest = createHash('sha256').update(JSON.stringify(content))
  for (const { bytes } of dars) digest.update(createHash('sha256').update(bytes).digest())
  return {
    world: { content, sections, parties, dars, digest: digest.digest('hex'), problem: file.problem },
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

/** Participants of the settings are named again for what they begin with; otherwise they are those of the file. */
function withNetwork({ network }: WorldContent, settings: Settings, file: WorldFile): Settings {
  if (network === undefined) return settings
  const at = ['network', 'participants']
  checkDistinct(
    network.participants.map(({ name }) => name),
    (index, name) => file.problem([...at, index, 'name'], `two participants are called ${name}`),
  )
  const places = network.participants.map(({ dars, identityProviders, parties, users, ...place }) => place)
  if (settings.network.participants.length === 0)
    return { ...settings, network: { ...settings.network, participants: places } }
  for (const [index, { name, ...place }] of places.entries()) {
    checkParticipant(name, settings.network.participants, [...at, index, 'name'], file)
    const [field] = Object.keys(place)
    if (field === undefined) continue
    throw file.problem([...at, index, field], 'the settings name the participants; say this there')
  }
  return settings
}

function checkParticipant(name: string, known: readonly Participant[], path: WorldPath, file: WorldFile): Participant {
  const found = known.find((one) => one.name === name)
  if (found !== undefined) return found
  throw file.problem(path, `there is no participant ${name}, only ${known.map((one) => one.name).join(', ')}`)
}

function checkNames(
  sections: readonly WorldSection[],
  parties: World['parties'],
  [first]: readonly Participant[],
  file: WorldFile,
): void {
  const all = [...parties.values()]
  checkDistinct(
    all.map(({ hint, section }) => `${hint} ${section.participant ?? first!.name}`),
    (index) => file.problem(all[index]!.path, `another party has the hint ${all[index]!.hint}, too`),
  )
  for (const { path, content } of sections) {
    const providers = Object.entries(content.identityProviders ?? {})
    checkDistinct(
      providers.map(([, { issuer }]) => issuer),
      (index) =>
        file.problem(
          [...path, 'identityProviders', providers[index]![0], 'issuer'],
          'another identity provider has it, too',
        ),
    )
  }
}

type Places = { readonly effective: Settings; readonly known: readonly Participant[] }

function checkPlaces(
  sections: readonly WorldSection[],
  { network, submissions = [] }: WorldContent,
  { effective, known }: Places,
  file: WorldFile,
): void {
  const aliases = new Set(synchronizersOf(effective).map(({ alias }) => alias))
  const checkSynchronizer = (alias: string, path: WorldPath) => {
    if (aliases.has(alias)) return
    throw file.problem(path, `there is no synchronizer ${alias}, only ${[...aliases].join(', ')}`)
  }
  for (const [index, { name, synchronizers }] of network?.participants.entries() ?? []) {
    const at = ['network', 'participants', index, 'synchronizers']
    for (const [number, one] of synchronizers?.entries() ?? []) checkSynchronizer(one, [...at, number])
    if (synchronizers?.length === 0) throw file.problem(at, `the participant ${name} is connected to no synchronizer`)
  }
  for (const { participant, path, content } of sections) {
    const { parties = {}, users = {}, identityProviders = {} } = content
    const { name, synchronizers: connected } = known.find((one) => one.name === participant) ?? known[0]!
    const checkProvider = (id: string | undefined, at: WorldPath) => {
      if (id === undefined || Object.hasOwn(identityProviders, id)) return
      throw file.problem(
        at,
        `there is no identity provider ${id} ${participant === undefined ? 'in this file' : 'of this participant'}`,
      )
    }
    for (const [alias, { synchronizers = [], identityProvider }] of Object.entries(parties)) {
      const at = [...path, 'parties', alias]
      for (const [index, one] of synchronizers.entries()) {
        checkSynchronizer(one, [...at, 'synchronizers', index])
        if (connected?.includes(one) !== false) continue
        throw file.problem([...at, 'synchronizers', index], `the participant ${name} is not connected to ${one}`)
      }
      checkProvider(identityProvider, [...at, 'identityProvider'])
    }
    for (const [id, { identityProvider }] of Object.entries(users)) {
      checkProvider(identityProvider, [...path, 'users', id, 'identityProvider'])
    }
  }
  for (const [index, { synchronizer, participant }] of submissions.entries()) {
    const at = ['submissions', index]
    if (synchronizer !== undefined) checkSynchronizer(synchronizer, [...at, 'synchronizer'])
    if (participant !== undefined) checkParticipant(participant, known, [...at, 'participant'], file)
  }
}

function checkReferences(
  sections: readonly WorldSection[],
  parties: World['parties'],
  submissions: readonly WorldSubmission[],
  file: WorldFile,
): void {
  const labels = new Set<string>()
  const look = lookupIn(
    (name) => (parties.has(name) ? name : undefined),
    (name) => (labels.has(name) ? name : undefined),
    file,
  )
  for (const { path, content } of sections) {
    for (const [id, user] of Object.entries(content.users ?? {})) {
      const at = [...path, 'users', id]
      if (user.primaryParty !== undefined) textWithout(user.primaryParty, [...at, 'primaryParty'], look, 'party')
      for (const field of fieldsOfParties) partiesWithout(user[field] ?? [], [...at, field], look)
    }
  }
  for (const [index, submission] of submissions.entries()) {
    const at = ['submissions', index]
    checkSubmission(submission, at, look, file)
    // Contracts are known once their transaction is.
    for (const [number, { labels: given = [] }] of submission.commands.entries()) {
      for (const [place, label] of given.entries()) {
        const path = [...at, 'commands', number, 'labels', place]
        if (parties.has(label)) throw file.problem(path, `a party has the alias ${label}`)
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

function darAt(dar: string, path: WorldPath, participant: string | undefined, file: WorldFile): WorldDar {
  try {
    return { file: dar, bytes: readFileSync(dar), participant, path }
  } catch (error) {
    throw file.problem(path, `cannot read the DAR: ${(error as Error).message}`)
  }
}

function checkDistinct(names: readonly string[], problem: (index: number, name: string) => StartError): void {
  const index = names.findIndex((name, at) => names.indexOf(name) < at)
  if (index >= 0) throw problem(index, names[index]!)
}
