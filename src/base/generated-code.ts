// Compiles generated code. It contains no text from outside: names and texts of packages are passed in as arguments. No
// global is visible either: a parameter of the same name, left undefined, shadows each. A separate context would hide
// them too, but V8 does not inline calls across contexts: computing choices took two to three times as long.
// thread-sandbox.ts keeps texts from becoming code in the threads that evaluate.
import { Script } from 'node:vm'

/** A strict-mode function with these parameters; its body begins on the second line of the script. */
export function compileFunction(
  parameters: readonly string[],
  body: string,
  scriptName = 'generated.js',
): (...args: never[]) => unknown {
  const text = `'use strict'; (function (${hidden}) { return function (${parameters.join(', ')}) {\n${body}\n} })()`
  return new Script(text, { filename: scriptName }).runInThisContext() as (...args: never[]) => unknown
}

/** Lines of a script before the body of its function. */
export const linesBeforeBody = 1

/** Strict mode does not allow parameters named `eval` or `arguments`; the other three are plain values. */
const visible: ReadonlySet<string> = new Set(['eval', 'arguments', 'undefined', 'NaN', 'Infinity'])

const hidden = Object.getOwnPropertyNames(globalThis)
  .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && !visible.has(name))
  .join(', ')
