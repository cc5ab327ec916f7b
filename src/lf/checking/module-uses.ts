// Which modules of its package the module being checked uses, as the checker meets them: maybe a few more than the
// reference sees, which looks at what is written alone. What is added is used by what is written, so it closes no circle.
import type { Identifier } from '../syntax/ast.ts'
import type { Type } from './type.ts'

export type ModuleUses = {
  /** Begins with another module. */
  begin(packageId: string, module: string): void
  /** Of the module since it was begun. */
  names(): readonly string[]
  definition(id: Identifier): void
  type(type: Type): void
  /** A cache of what was found for this module, with all its uses told. */
  cache<Key, Value>(): Map<Key, Value>
}

export function createModuleUses(): ModuleUses {
  let [ownPackage, ownModule] = ['', '']
  let names = new Set<string>()
  let number = 0
  const caches: Map<unknown, unknown>[] = []

  function definition({ packageId, module }: Identifier): void {
    if (packageId === ownPackage && module !== ownModule) names.add(module)
  }

  function type(one: Type): void {
    if (one.usedIn === number) return
    one.usedIn = number
    if (one.identifier !== undefined) definition(one.identifier)
    if (one.left !== undefined) type(one.left)
    if (one.right !== undefined) type(one.right)
    for (const part of one.parts) type(part)
  }

  return {
    begin(packageId, module) {
      ;[ownPackage, ownModule] = [packageId, module]
      names = new Set()
      number += 1
      for (const cache of caches) cache.clear()
    },
    names: () => [...names],
    definition,
    type,
    cache<Key, Value>() {
      const cache = new Map<Key, Value>()
      caches.push(cache)
      return cache
    },
  }
}
