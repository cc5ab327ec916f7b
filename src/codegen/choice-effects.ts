// Reads the code of a package's choices to find what they do to other contracts: which templates they create, and which
// choices they exercise, directly or through functions. Code that is not reached at run time counts.
import type { Body, Choice, Identifier } from '../lf/syntax/ast.ts'
import { fullName } from '../lf/syntax/names.ts'
import type { PackageSet } from './package-set.ts'
import type { ChoiceEffects } from './type-description.ts'

/** The effects of one body by itself, and the functions it refers to. */
type Direct = {
  readonly creates: readonly Identifier[]
  readonly exercises: readonly { readonly id: Identifier; readonly choice: string }[]
  readonly calls: readonly Identifier[]
}

type Found = { creates: Identifier[]; exercises: Direct['exercises'][number][]; calls: Identifier[] }

/** Bodies that are looked at for one package; a larger one is described as far as that. */
const bodiesMax = 50_000

export function createChoiceEffects(packages: PackageSet): (choice: Choice) => ChoiceEffects {
  const known = new Map<string, Direct>()

  function ofValue(id: Identifier): Direct | undefined {
    const key = fullName(id)
    const found = known.get(key)
    if (found !== undefined) return found
    const value = packages.get(id.packageId)?.modules.get(id.module)?.values.get(id.name)
    if (value === undefined || known.size >= bodiesMax) return undefined
    const direct = directIn(value.body)
    known.set(key, direct)
    return direct
  }

  return ({ update }) => {
    const creates = new Set<string>()
    const exercises = new Map<string, { id: string; choice: string }>()
    const seen = new Set<string>()
    const pending = [directIn(update)]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const id of next.creates) creates.add(fullName(id))
      for (const { id, choice } of next.exercises)
        exercises.set(`${fullName(id)} ${choice}`, { id: fullName(id), choice })
      for (const id of next.calls) {
        if (seen.has(fullName(id))) continue
        seen.add(fullName(id))
        const direct = ofValue(id)
        if (direct !== undefined) pending.push(direct)
      }
    }
    return { creates: [...creates].sort(), exercises: [...exercises.values()] }
  }
}

/** Walks the whole tree, whatever its nodes are: only few kinds matter here. */
function directIn(body: Body): Direct {
  const found: Found = { creates: [], exercises: [], calls: [] }
  const pending: unknown[] = [body()]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) continue
    note(next, found)
    for (const [name, part] of Object.entries(next)) if (!passedOver.has(name)) pending.push(part)
  }
  return found
}

/** Types and places hold no code. */
const passedOver = new Set(['type', 'types', 'returnType', 'parameters', 'location'])

type Node = {
  readonly kind?: string
  readonly id?: Identifier
  readonly template?: Identifier
  readonly interface?: Identifier
  readonly choice?: string
}

function note({ kind, id, template, interface: of, choice }: Node, found: Found): void {
  if (kind === 'value' && id !== undefined) found.calls.push(id)
  else if (kind === 'create' && template !== undefined) found.creates.push(template)
  else if (kind?.startsWith('exercise') && choice !== undefined && choice !== 'Archive') {
    const owner = template ?? of
    if (owner !== undefined) found.exercises.push({ id: owner, choice })
  }
}
