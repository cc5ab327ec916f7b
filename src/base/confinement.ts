// Threads that handle what strangers upload: they compute and talk to the main thread, and that is all. Node's permission
// model refuses files, processes, sockets, threads, add-ons and the inspector to the thread alone, in native code; what it
// leaves out (open file descriptors, signals, modules) is taken away here. Whatever code of a package might get hold of,
// there is nothing behind it that leads out.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { createContext, runInContext } from 'node:vm'
import type { WorkerOptions } from 'node:worker_threads'
import { lockDown } from './lock-down.ts'

/** How such a thread is started. It may read files until it has its modules, and calls `confineThread` then. */
export const confinedThread = {
  execArgv: ['--permission', '--allow-fs-read=*'],
  env: {},
  argv: [],
} satisfies WorkerOptions

/** All that the permission model knows. */
const scopes = ['fs', 'fs.read', 'fs.write', 'child', 'worker', 'net', 'addon', 'wasi', 'inspector', 'ffi'] as const

/** What the code of threads uses beside what every context has. */
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

/** Called once, when all modules are loaded and before anything of a stranger is looked at. There is no way back. */
export function confineThread(): void {
  dropPermissions(process as unknown as { permission?: Permission })
  refuseModules()
  refuseAll(fs)
  syncBuiltinESMExports()
  refuseAll(process, (name) => processLeadsOut.has(name))
  clearGlobals()
  lockDown()
}

function dropPermissions({ permission }: { permission?: Permission }): void {
  assert(permission !== undefined, 'the thread was not started with the permission model')
  permission.drop('fs.read')
  for (const scope of scopes) assert(!permission.has(scope), `the thread still has the permission ${scope}`)
}

/** Modules that are loaded stay; no other comes, by whatever way it is asked for. */
function refuseModules(): void {
  registerHooks({
    resolve: (specifier) => refuse(`import ${specifier}`),
    load: (url) => refuse(`load ${url}`),
  })
}

/** Node itself needs the rest in the thread; `exit`, for one, ends the thread and nothing else. */
const processLeadsOut = new Set([
  ...['abort', 'binding', 'chdir', 'dlopen', 'execve', 'getBuiltinModule', 'initgroups', 'kill', 'loadEnvFile'],
  ...['mainModule', 'openStdin', 'report', 'setegid', 'seteuid', 'setgid', 'setgroups', 'setuid', 'umask'],
  ...['_debugEnd', '_debugProcess', '_getActiveHandles', '_getActiveRequests', '_kill', '_linkedBinding'],
])

/** Every function that the object has becomes one that refuses, and every other object nothing. */
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
