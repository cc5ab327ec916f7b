// Records which modules of its package the module being checked uses. The reference reads only the written code, so this
// may record a few more modules. The written code leads to those, too, so they add no cycle.
import type { Identifier } from '../syntax/ast.ts'
import type { Type } from './type.ts'

export type ModuleUses = {
  /** Starts to record for another module. */
  begin(packageId: string, module: string): void
  /** The recorded modules. */
  names(): readonly string[]
  definition(id: Identifier): void
  type(type: Type): void
  /** A cache for one module: `begin` empties it, so that a second module records its own uses. */
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
