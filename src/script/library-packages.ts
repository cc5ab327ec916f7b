// The packages of a DAR as scripts run in them. The library casts between any two types with a function that only a runner
// can define: here it returns its argument.
import { LateMap } from '../lf/archive/late-map.ts'
import type { Expression, Module, Package } from '../lf/syntax/ast.ts'
import type { Packages } from '../lf/values/data-types.ts'
import { lowLevelModule } from './scripts.ts'

const castName = 'dangerousCast'

const identity: Expression = {
  kind: 'abstraction',
  parameters: [{ name: 'value', type: { kind: 'builtin', name: 'Unit', args: [] } }],
  body: { kind: 'variable', name: 'value', location: undefined },
  location: undefined,
}

export function withCasts(packages: Packages): Packages {
  const known = new Map<string, Package | undefined>()
  return {
    get(id) {
      if (!known.has(id)) known.set(id, withCast(packages.get(id)))
      return known.get(id)
    },
  }
}

function withCast(given: Package | undefined): Package | undefined {
  const module = given?.modules.get(lowLevelModule)
  const cast = module?.values.get(castName)
  if (given === undefined || module === undefined || cast === undefined) return given
  const changed: Module = { ...module, values: withEntry(module.values, castName, { ...cast, body: () => identity }) }
  return { ...given, modules: withEntry(given.modules, lowLevelModule, changed) }
}

/** Asks for an entry of the map only when it is asked for one: the library is large. */
function withEntry<T>(map: ReadonlyMap<string, T>, name: string, entry: T): ReadonlyMap<string, T> {
  const names = new Map(map.keys().map((key) => [key, key]))
  return new LateMap(names, (key) => (key === name ? entry : map.get(key)!))
}
