// Who has to act: the parties in the fields that sign or control, and those that a refusal says are missing.
import type { PartyPlace } from '../../codegen/type-description.ts'
import { ApiError } from './api-error.ts'
import type { Json } from './wire.ts'

/** What the places of parties are looked up in; undefined where it is not known. */
export type PartySources = {
  readonly contract?: Json | undefined
  readonly view?: Json | undefined
  readonly argument?: Json | undefined
  readonly signatories?: readonly string[] | undefined
}

export type RequiredActors = {
  readonly parties: readonly string[]
  /** Whether all of them are known. */
  readonly isComplete: boolean
}

/** `places` are undefined if the code does not tell. */
export function requiredActors(places: readonly PartyPlace[] | undefined, sources: PartySources): RequiredActors {
  if (places === undefined) return { parties: [], isComplete: false }
  const found = places.map(({ of, path }) => partiesIn(valueAt(sources[of] as Json | undefined, path)))
  const parties = [...new Set(found.flatMap((some) => some ?? []))]
  return { parties, isComplete: !found.includes(undefined) }
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let inner = value
  for (const name of path) {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner) || !Object.hasOwn(inner, name))
      return undefined
    inner = (inner as { readonly [name: string]: Json })[name]
  }
  return inner
}

/** A party, a list of them, or none; undefined while they are not filled in. */
function partiesIn(value: Json | undefined): readonly string[] | undefined {
  if (value === null) return []
  const all = Array.isArray(value) ? value : [value]
  return all.every((one) => typeof one === 'string' && one.includes('::')) ? (all as string[]) : undefined
}

/**
 * Parties that a command lacks the authority of, as the node's refusal names them. A contract that nobody who acts can see
 * is not found; then those are missing whom the form knows to be `required`.
 */
export function missingAuthorizers(error: unknown, required: readonly string[] = []): readonly string[] {
  if (!(error instanceof ApiError)) return []
  if (error.code === 'CONTRACT_NOT_FOUND') return required
  if (error.code !== 'DAML_AUTHORIZATION_ERROR') return []
  const lacking =
    /requires authorizers (.*?)(?:, but only (.*) were given| for lookup by key, but it only has (.*))/.exec(
      error.message,
    )
  if (lacking !== null) {
    const given = partiesOf(lacking[2] ?? lacking[3] ?? '')
    return partiesOf(lacking[1]!).filter((party) => !given.includes(party))
  }
  // Any stakeholder will do; the first is a guess.
  const stakeholders = /one of the stakeholders \w*Set\d*\((.*?)\) of the fetched contract/.exec(error.message)
  return stakeholders === null ? [] : partiesOf(stakeholders[1]!).slice(0, 1)
}

function partiesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((party) => party.trim())
    .filter((party) => party.includes('::'))
}
