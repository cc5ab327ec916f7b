// The variables of expressions that are in scope, with their types.
import type { Type } from './type.ts'

export type Variables = ReturnType<typeof createVariables>

/** After an error nothing is unbound, so the variables are of no use any more. */
export function createVariables() {
  const types = new Map<string, Type | undefined>()
  /** Each variable that was bound, with what it hides. */
  const names: string[] = []
  const hidden: (Type | undefined)[] = []

  function bind(name: string, type: Type): void {
    names.push(name)
    hidden.push(types.get(name))
    types.set(name, type)
  }

  /** Ends the scope of all variables that were bound since `mark`. */
  function unbind(mark: number): void {
    while (names.length > mark) types.set(names.pop()!, hidden.pop())
  }

  return {
    get: (name: string): Type | undefined => types.get(name),
    mark: (): number => names.length,
    bind,
    unbind,

    /** Runs `body` with one variable. */
    binding<T>(name: string, type: Type, body: () => T): T {
      const mark = names.length
      bind(name, type)
      const result = body()
      unbind(mark)
      return result
    },
  }
}
