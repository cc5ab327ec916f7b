// A thread that is confined like those that handle packages and then tries to escape in every way: through globals, and
// through objects it got hold of before.
import fs, { readFileSync as readBefore } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { confineThread } from '../../../src/base/thread-sandbox.ts'

type Attempt = () => unknown

// More than code of a package could ever find: everything that exists before the thread is confined.
const held = {
  host: process,
  require: createRequire(import.meta.url),
  fetch,
  net: process.getBuiltinModule('node:net'),
  dns: process.getBuiltinModule('node:dns'),
  childProcess: process.getBuiltinModule('node:child_process'),
  workerThreads: process.getBuiltinModule('node:worker_threads'),
  v8: process.getBuiltinModule('node:v8'),
}
const { file, folder } = workerData as { file: string; folder: string }
const anywhere = globalThis as unknown as Record<string, never>
const now = held.host as unknown as Record<string, (...args: unknown[]) => unknown>

const attempts: Record<string, Attempt> = {
  'read a file': () => fs.readFileSync(file),
  'read a file with a function got before': () => readBefore(file),
  'read a file later': () => fs.promises.readFile(file),
  'read an open file': () => fs.readSync(0, Buffer.alloc(1)),
  'list a folder': () => fs.readdirSync(folder),
  'write a file': () => fs.writeFileSync(`${folder}/written`, 'x'),
  'write a file as a stream': () => fs.createWriteStream(`${folder}/written`),
  'write an open file': () => fs.writeSync(1, 'x'),
  'write a snapshot of the heap': () => held.v8.writeHeapSnapshot(`${folder}/written`),
  'write a report': () => held.host.report.writeReport(`${folder}/written`),
  'start a process': () => held.childProcess.spawnSync('/bin/sh', ['-c', 'true']).pid || raise('not started'),
  'start a shell': () => held.childProcess.execSync('true'),
  'start a thread': () => new held.workerThreads.Worker('1', { eval: true }),
  connect: () =>
    new Promise((resolve, reject) => held.net.connect(1, '127.0.0.1').on('connect', resolve).on('error', reject)),
  'look up a name': () => held.dns.promises.lookup('localhost'),
  fetch: () => held.fetch('http://127.0.0.1:1/'),
  'see the environment': () => Object.keys(held.host.env).join() || raise('it is empty'),
  'see the arguments': () => held.host.argv.slice(2).join() || raise('there are none'),
  'load an add-on': () => now.dlopen!({ exports: {} }, `${folder}/addon.node`),
  'import files': () => import('node:fs'),
  'import processes': () => import('node:child_process'),
  'import a file': () => import(file),
  'require files': () => held.require('fs'),
  'require a module that is not loaded': () => held.require('node:sqlite'),
  'process.binding': () => now.binding!('fs'),
  'process._linkedBinding': () => now._linkedBinding!('fs'),
  'process.getBuiltinModule': () => now.getBuiltinModule!('fs'),
  'process.kill': () => now.kill!(held.host.pid, 0),
  'process.abort': () => now.abort!(),
  'process.chdir': () => now.chdir!('/'),
  'process.execve': () => now.execve!('/bin/true'),
  'have a permission': () => held.host.permission.has('fs.read') || raise('it has none'),
  ...Object.fromEntries(
    ['process', 'require', 'module', 'fetch', 'WebSocket', 'EventSource', 'BroadcastChannel', 'Worker', 'navigator']
      .concat(['WebAssembly', 'console', 'localStorage', 'global', 'MessageChannel', 'gc'])
      .map((name): [string, Attempt] => [`find ${name}`, () => anywhere[name] ?? raise('it is not there')]),
  ),
}

function raise(message: string): never {
  throw new Error(message)
}

confineThread()
const outcomes: [name: string, outcome: string][] = []
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    const found = await attempt()
    outcomes.push([name, found === undefined ? 'refused: nothing there' : `done: ${String(found).slice(0, 100)}`])
  } catch (error) {
    outcomes.push([name, `refused: ${error instanceof Error ? error.message : error}`])
  }
}
parentPort!.postMessage(outcomes)
