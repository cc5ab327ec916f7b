// Takes from a thread what could make code of a text, once all modules are loaded. Code of packages is compiled by other
// means (generated-code.ts); nothing else in the thread needs any of it.

/** Called once; there is no way back. */
export function lockDown(): void {
  noCode.prototype = Function.prototype // As `Function`, it still tells what a function is.
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
