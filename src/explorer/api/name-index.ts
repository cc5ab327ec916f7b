// The names of all templates, interfaces and choices, read once, and ranked while one types.
import { get } from './client.ts'

/** The newest version of each package, those one uploaded before libraries. */
export type NamedPackage = {
  readonly packageId: string
  readonly name: string
  readonly version: string
  /** A package that other packages only build on, such as the standard library. */
  readonly isLibrary: boolean
  /** Choices by `Module:Template`. */
  readonly templates: Readonly<Record<string, readonly string[]>>
  /** Choices by `Module:Interface`. */
  readonly interfaces: Readonly<Record<string, readonly string[]>>
}

export type RankedName = {
  readonly kind: 'template' | 'interface' | 'choice'
  /** `#package:Module:Entity` of the template or interface. */
  readonly of: string
  readonly packageId: string
  /** Empty unless it is a choice. */
  readonly choice: string
}

/** Browsers keep it, and ask whether it has changed. */
export async function readNames(signal?: AbortSignal): Promise<readonly NamedPackage[]> {
  return (await get<{ packages: readonly NamedPackage[] }>('/explorer/find/names', { signal })).packages
}

/** The best first: whole names, then beginnings, then parts of words, then any part. */
export function rankNames(packages: readonly NamedPackage[], text: string, most: number): readonly RankedName[] {
  const wanted = wordsOf(text)
  if (wanted.length === 0) return []
  const ranked: { readonly name: RankedName; readonly rank: number; readonly length: number }[] = []
  const consider = (name: RankedName, isLibrary: boolean) => {
    const [, module = '', entity = ''] = name.of.split(':')
    const own = name.choice === '' ? entity : name.choice
    const rank = rankOf(own, `${name.of.slice(1)}${name.choice === '' ? '' : `:${name.choice}`}`, module, wanted)
    if (rank === undefined) return
    // A choice comes after a template whose name fits as well, and a library's names after all others that fit as well.
    ranked.push({ name, rank: 4 * rank + (isLibrary ? 2 : 0) + (name.choice === '' ? 0 : 1), length: own.length })
  }
  for (const { packageId, name: packageName, isLibrary, templates, interfaces } of packages) {
    for (const [kind, entities] of [
      ['template', templates],
      ['interface', interfaces],
    ] as const) {
      for (const [entity, choices] of Object.entries(entities)) {
        const of = `#${packageName}:${entity}`
        consider({ kind, of, packageId, choice: '' }, isLibrary)
        for (const choice of choices) consider({ kind: 'choice', of, packageId, choice }, isLibrary)
      }
    }
  }
  ranked.sort((a, b) => a.rank - b.rank || a.length - b.length || (a.name.of < b.name.of ? -1 : 1))
  return ranked.slice(0, most).map(({ name }) => name)
}

/** What was typed, in words: spaces part them, and `#package:Module:Name` may be pasted. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/^(interface )?#/, '')
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** Undefined if not every word fits. The first word is about the name, the others about anything around it. */
function rankOf(name: string, full: string, module: string, [first, ...others]: readonly string[]): number | undefined {
  const all = full.toLowerCase()
  if (others.some((word) => !all.includes(word))) return undefined
  const own = name.toLowerCase()
  const wanted = first!
  if (own === wanted || all === wanted) return 0
  if (own.startsWith(wanted)) return 1
  if (humpsOf(name).some((hump) => hump.startsWith(wanted))) return 2
  if (isInHumps(name, wanted)) return 3
  if (own.includes(wanted)) return 4
  if (`${module.toLowerCase()}:${own}`.includes(wanted)) return 5
  return all.includes(wanted) ? 6 : undefined
}

/** The rests of a name that begin with a word of it: `DsoRules_Confirm` has `rules_confirm` and `confirm`. */
function humpsOf(name: string): readonly string[] {
  const rests: string[] = []
  for (let at = 1; at < name.length; at += 1) {
    const [before, here, next] = [name[at - 1]!, name[at]!, name[at + 1]]
    const isHump = isCapital(here) && (!isCapital(before) || (next !== undefined && isSmall(next)))
    if (isHump || before === '_') rests.push(name.slice(at).toLowerCase())
  }
  return rests
}

const isCapital = (letter: string) => letter >= 'A' && letter <= 'Z'
const isSmall = (letter: string) => letter >= 'a' && letter <= 'z'

/** `DR` or `drconf` for `DsoRules_Confirm`: each letter goes on in its word, or begins a later one. */
function isInHumps(name: string, wanted: string): boolean {
  const own = name.toLowerCase()
  const starts = [0, ...humpsOf(name).map((rest) => own.length - rest.length)]
  const fits = (typed: number, at: number): boolean => {
    if (typed === wanted.length) return true
    if (own[at] === wanted[typed] && fits(typed + 1, at + 1)) return true
    return starts.some((start) => start > at && own[start] === wanted[typed] && fits(typed + 1, start + 1))
  }
  return own[0] === wanted[0] && fits(1, 1)
}
