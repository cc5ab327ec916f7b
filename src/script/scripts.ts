// The scripts of a package: top-level values of the type `Script a` of Daml's library, or functions to it.
import type { Identifier, Package, Type } from '../lf/syntax/ast.ts'

export type FoundScript = {
  readonly id: Identifier
  /** The package of the library that it was compiled with. */
  readonly libraryId: string
  /** The type of its argument, if it takes one. */
  readonly parameter: Type | undefined
  readonly result: Type
  /** Compiled with a library before Daml 3.3, which no runner of today knows. */
  readonly isLegacy: boolean
}

export const lowLevelModule = 'Daml.Script.Internal.LowLevel'

/** In the order of the package. The compiler's own definitions, which begin with `$`, are left out. */
export function scriptsIn({ id: packageId, modules }: Package): FoundScript[] {
  const found: FoundScript[] = []
  for (const [module, { values }] of modules) {
    for (const name of values.keys()) {
      if (name.startsWith('$')) continue // Most are such, and not even read if values are read when they are used.
      const script = scriptOf({ packageId, module, name }, values.get(name)!.type)
      if (script !== undefined) found.push(script)
    }
  }
  return found
}

/** Undefined if the package has no such script. */
export function scriptNamed(id: Identifier, { modules }: Package): FoundScript | undefined {
  const value = modules.get(id.module)?.values.get(id.name)
  return value && scriptOf(id, value.type)
}

/** Undefined if a value of this type is no script. */
function scriptOf(id: Identifier, type: Type): FoundScript | undefined {
  const isFunction = type.kind === 'builtin' && type.name === 'Arrow' && type.args.length === 2
  const made = isFunction ? type.args[1]! : type
  if (made.kind !== 'constructor' || made.id.name !== 'Script' || made.args.length !== 1) return undefined
  const isLegacy = made.id.module === 'Daml.Script'
  if (!isLegacy && made.id.module !== lowLevelModule) return undefined
  const parameter = isFunction ? type.args[0] : undefined
  return { id, libraryId: made.id.packageId, parameter, result: made.args[0]!, isLegacy }
}
