// Compiles code that this program writes for itself. Such code holds no text of anyone else's: names and texts of
// packages come in as arguments. It cannot name a single global either: each is hidden behind a parameter of the same
// name that nothing is given for.
//
// A context of its own would hide them too, but V8 does not inline what is called across contexts: code of packages that
// mostly computes took two to three times as long. What keeps texts from becoming code in threads that evaluate is
// lock-down.ts.
import { Script } from 'node:vm'

/** A function of these parameters in strict mode, whose body begins on the second line of the script. */
export function compileFunction(
  parameters: readonly string[],
  body: string,
  scriptName = 'generated.js',
): (...args: never[]) => unknown {
  const text = `'use strict'; (function (${hidden}) { return function (${parameters.join(', ')}) {\n${body}\n} })()`
  return new Script(text, { filename: scriptName }).runInThisContext() as (...args: never[]) => unknown
}

/** Lines of a script that come before the body of its function. */
export const linesBeforeBody = 1

/** Strict mode has no parameters called `eval` or `arguments`; the last three are values rather than things. */
const visible: ReadonlySet<string> = new Set(['eval', 'arguments', 'undefined', 'NaN', 'Infinity'])

const hidden = Object.getOwnPropertyNames(globalThis)
  .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && !visible.has(name))
  .join(', ')
