// Removes every way to turn text into code from a thread, once all modules are loaded. Packages are compiled by other
// means (generated-code.ts); nothing else in the thread needs it.

/** Called once; it cannot be undone. */
export function disableEval(): void {
  noCode.prototype = Function.prototype // Keeps `instanceof Function` working.
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}]
  for (const kind of kinds) forbid(Object.getPrototypeOf(kind), 'constructor')
  for (const name of ['Function', 'eval']) forbid(globalThis, name)
}

function forbid(holder: object, name: string): void {
  Object.defineProperty(holder, name, { value: noCode, writable: false, enumerable: false, configurable: false })
}

function noCode(): never {
  throw new EvalError('a text cannot become code in this thread')
}
