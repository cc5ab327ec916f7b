// Where code that this program writes for itself is compiled: a context of its own, without a single global, in which a
// text can never become code. What such code works with comes in as arguments. It holds no text of anyone else's: names
// and texts of packages come in as arguments too.
import { type Context, constants, createContext, Script } from 'node:vm'

let context: Context | undefined

/** A function of these parameters in strict mode, whose body begins on the second line of the script. */
export function compileFunction(
  parameters: readonly string[],
  body: string,
  scriptName = 'generated.js',
): (...args: never[]) => unknown {
  context ??= createSealedContext()
  const text = `'use strict'; (function (${parameters.join(', ')}) {\n${body}\n})`
  return new Script(text, { filename: scriptName }).runInContext(context) as (...args: never[]) => unknown
}

/** Lines of a script that come before the body of its function. */
export const linesBeforeBody = 1

function createSealedContext(): Context {
  const created = createContext(constants.DONT_CONTEXTIFY, {
    name: 'generated code',
    codeGeneration: { strings: false, wasm: false },
  })
  // What V8 does not let go of (`undefined`, `NaN`, `Infinity`) is no way to anything.
  for (const name of Reflect.ownKeys(created)) Reflect.deleteProperty(created, name)
  return Object.freeze(created)
}
