// What a world file says of each participant. What is outside `network` is of the first one, except packages, which all get.
import type { WorldFile, WorldPath } from './world-file.ts'
import { referencePattern, type WorldContent, type WorldSubmission } from './world-schema.ts'

export type WorldSection = {
  /** Its name; undefined for the first one, or with packages for all of them. */
  readonly participant: string | undefined
  /** Where it is in the file. */
  readonly path: WorldPath
  readonly content: Pick<WorldContent, 'dars' | 'identityProviders' | 'parties' | 'users'>
}

export function sectionsOf(content: WorldContent): readonly WorldSection[] {
  const { participants = [] } = content.network ?? {}
  const own = participants.map((one, index) => {
    return { participant: one.name, path: ['network', 'participants', index], content: one }
  })
  return [{ participant: undefined, path: [], content }, ...own]
}

/** A party of the file: aliases are of the whole network. */
export type WorldParty = NonNullable<WorldContent['parties']>[string] & {
  readonly hint: string
  readonly section: WorldSection
  readonly path: WorldPath
}

/** By alias. */
export function partiesOf(sections: readonly WorldSection[]): ReadonlyMap<string, WorldParty> {
  const all = sections.flatMap((section) => {
    const entries = Object.entries(section.content.parties ?? {})
    return entries.map(([alias, entry]): [string, WorldParty] => {
      return [alias, { hint: alias, ...entry, section, path: [...section.path, 'parties', alias] }]
    })
  })
  return new Map(all)
}

/** Refuses an alias that parties of two participants have. */
export function checkAliases(sections: readonly WorldSection[], file: Pick<WorldFile, 'problem'>): void {
  const taken = new Set<string>()
  for (const { content, path } of sections) {
    for (const alias of Object.keys(content.parties ?? {})) {
      if (taken.has(alias)) {
        throw file.problem(
          [...path, 'parties', alias],
          'a party of another participant has this alias; rename one, and give it a hint',
        )
      }
      taken.add(alias)
    }
  }
}

/** The participant that submits; undefined for the first one. */
export function submitterOf(
  { participant, actAs }: WorldSubmission,
  parties: ReadonlyMap<string, WorldParty>,
): string | undefined {
  return participant ?? parties.get(aliasIn(actAs[0]!))?.section.participant
}

/** Refuses parties to act as that are not all of the participant that submits. */
export function checkSubmitters(
  submission: WorldSubmission,
  at: WorldPath,
  { parties, first }: { readonly parties: ReadonlyMap<string, WorldParty>; readonly first: string },
  file: Pick<WorldFile, 'problem'>,
): void {
  const submitter = submitterOf(submission, parties) ?? first
  for (const [index, party] of submission.actAs.entries()) {
    const own = parties.get(aliasIn(party))
    if (own === undefined || (own.section.participant ?? first) === submitter) continue
    const whose = `${party} is a party of ${own.section.participant ?? first}`
    throw file.problem([...at, 'actAs', index], `${whose}, and the participant that submits is ${submitter}`)
  }
}

function aliasIn(party: string): string {
  return referencePattern.exec(party)?.[1] ?? ''
}
