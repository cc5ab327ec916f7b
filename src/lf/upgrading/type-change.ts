// A type before and after, for people. Two versions of one type look alike, so the ids of their packages tell them apart.
import type { Identifier, Type } from '../syntax/ast.ts'
import { renderType } from '../syntax/render-type.ts'

export function typeChange(past: Type, present: Type, module: string): string {
  const [before, after] = [renderType(past, module), renderType(present, module)]
  if (before !== after) return `${before} → ${after}`
  const [older, newer] = [identifiersIn(past), identifiersIn(present)]
  const index = older.findIndex((id, i) => id.packageId !== newer[i]?.packageId)
  if (index < 0 || newer[index] === undefined) return `${before}, which cannot be upgraded`
  const { module: home, name } = older[index]!
  return `${before}, whose ${home}:${name} is of package ${newer[index].packageId} instead of ${older[index]!.packageId}`
}

function identifiersIn(type: Type): Identifier[] {
  const found: Identifier[] = []
  const pending = [type]
  for (let next = pending.pop(); next !== undefined && found.length < 1_000; next = pending.pop()) {
    if (next.kind === 'constructor' || next.kind === 'synonym') found.push(next.id)
    if ('args' in next) pending.push(...next.args)
  }
  return found
}
