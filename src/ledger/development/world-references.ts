// References in a world file: a text `$name` stands for the party with that alias or the contract with that label, and
// `$$` begins a text that begins with a `$`. So no text is taken for a reference by accident: one whose name is unknown
// is an error.
import type { WorldPath } from './world-file.ts'
import { commandKinds, referencePattern, type WorldCommand } from './world-schema.ts'

/** What a name stands for. Throws if it stands for nothing. */
export type Lookup = (name: string, path: WorldPath, wanted: 'party' | 'contract' | 'any') => string

/** A value of Daml, with what its references stand for. */
export function valueWithout(value: unknown, path: WorldPath, look: Lookup): unknown {
  if (typeof value === 'string') return textWithout(value, path, look, 'any')
  if (Array.isArray(value)) return value.map((item, index) => valueWithout(item, [...path, index], look))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, valueWithout(part, [...path, name], look)]),
  )
}

export function textWithout(text: string, path: WorldPath, look: Lookup, wanted: 'party' | 'contract' | 'any'): string {
  if (!text.startsWith('$')) return text
  if (text.startsWith('$$')) return text.slice(1)
  return look(referencePattern.exec(text)?.[1] ?? text.slice(1), path, wanted)
}

export function partiesWithout(parties: readonly string[], path: WorldPath, look: Lookup): string[] {
  return parties.map((party, index) => textWithout(party, [...path, index], look, 'party'))
}

/** The same command without references. */
export function commandWithout(command: WorldCommand, path: WorldPath, look: Lookup): WorldCommand {
  const kind = kindOf(command)
  const fields = Object.entries(command[kind]!).map(([name, value]) => {
    const at = [...path, kind, name]
    if (name === 'contractId') return [name, textWithout(value as string, at, look, 'contract')]
    return [name, typeNames.has(name) ? value : valueWithout(value, at, look)]
  })
  return { [kind]: Object.fromEntries(fields) }
}

const typeNames: ReadonlySet<string> = new Set(['templateId', 'choice'])

export function kindOf(command: WorldCommand): (typeof commandKinds)[number] {
  return commandKinds.find((kind) => command[kind] !== undefined)!
}
