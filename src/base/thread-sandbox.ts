// A sandbox for the threads that handle uploaded packages: they compute and talk to the main thread, nothing else.
// Node's permission model denies the thread files, processes, sockets, threads, add-ons and the inspector in native
// code. What the model does not cover (open file descriptors, signals, modules) is removed here. So even code that
// escapes its sandboxed functions finds nothing that leads outside.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { createContext, runInContext } from 'node:vm'
import type { WorkerOptions } from 'node:worker_threads'

/**
 * Options for starting such a thread. It may read files until its modules are loaded; then it calls `confineThread`.
 */
export const confinedThread = {
  execArgv: ['--permission', '--allow-fs-read=*'],
  env: {},
  argv: [],
} satisfies WorkerOptions

/** All scopes of the permission model. */
const scopes = ['fs', 'fs.read', 'fs.write', 'child', 'worker', 'net', 'addon', 'wasi', 'inspector', 'ffi'] as const

/** Globals that our code in the threads needs, besides those of every context. */
const hostGlobals = [
  'Buffer',
  'TextDecoder',
  'TextEncoder',
  'performance',
  'setTimeout',
  'clearTimeout',
  'setImmediate',
]

type Permission = { has(scope: string): boolean; drop(scope: string): void }

/** Called once, when all modules are loaded and before any package is handled. It cannot be undone. */
export function confineThread(): void {
  dropPermissions(process as unknown as { permission?: Permission })
  refuseModules()
  refuseAll(fs)
  syncBuiltinESMExports()
  refuseAll(process, (name) => processLeadsOut.has(name))
  clearGlobals()
  disableEval()
}

function dropPermissions({ permission }: { permission?: Permission }): void {
  assert(permission !== undefined, 'the thread was not started with the permission model')
  permission.drop('fs.read')
  for (const scope of scopes) assert(!permission.has(scope), `the thread still has the permission ${scope}`)
}

/** Loaded modules stay; no other can be loaded in any way. */
function refuseModules(): void {
  registerHooks({
    resolve: (specifier) => refuse(`import ${specifier}`),
    load: (url) => refuse(`load ${url}`),
  })
}

/** Node itself needs the other members in the thread; `exit`, for example, ends only the thread. */
const processLeadsOut = new Set([
  ...['abort', 'binding', 'chdir', 'dlopen', 'execve', 'getBuiltinModule', 'initgroups', 'kill', 'loadEnvFile'],
  ...['mainModule', 'openStdin', 'report', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid', 'umask'],
  ...['_debugEnd', '_debugProcess', '_getActiveHandles', '_getActiveRequests', '_kill', '_linkedBinding'],
])

/** Replaces every function of the object by one that throws, and every other object by undefined. */
function refuseAll(target: object, isMeant: (name: string) => boolean = () => true): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (!isMeant(name) || !descriptor.configurable) continue
    const isFunction = typeof descriptor.value === 'function'
    const value = isFunction ? () => refuse(name) : undefined
    if (isFunction || descriptor.get !== undefined || typeof descriptor.value === 'object') {
      Object.defineProperty(target, name, { value, writable: false, enumerable: true, configurable: false })
    }
  }
}

function clearGlobals(): void {
  const known = runInContext('Object.getOwnPropertyNames(globalThis)', createContext()) as string[]
  const kept = new Set([...known, ...hostGlobals])
  for (const leadsOut of ['console', 'WebAssembly']) kept.delete(leadsOut)
  for (const name of Reflect.ownKeys(globalThis)) {
    if (typeof name === 'string' && !kept.has(name)) Reflect.deleteProperty(globalThis, name)
  }
}

function refuse(what: string): never {
  throw new Error(`this thread may not ${what}`)
}

/**
 * Removes every way to turn text into code from a thread, once all modules are loaded. Packages are compiled by other means
 * (generated-code.ts); nothing else in the thread needs it. It cannot be undone.
 */
function disableEval(): void {
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
