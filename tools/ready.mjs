// Prepares a fresh clone: installs the dependencies if they are missing or older than the lock file; --bundle also
// builds the bundle. --for-tests also installs what only tests use: the code generators that they run on our API
// description, Jest, and the oldest Node that the test kit runs on, unless it is on the PATH. Runs on whatever Node
// started npm, so it uses nothing newer than Node 20.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { oldestNodeOnPath } from './older-node/on-path.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const statuses = await Promise.all([install(root, 'dependencies'), ...installForTests()])
const failed = statuses.find((status) => status !== 0)
if (failed !== undefined) process.exit(failed)
if (process.argv.includes('--bundle')) {
  const { buildBundle, isBundleFresh } = await import('./bundle.mjs')
  if (!isBundleFresh()) await buildBundle()
}

function installForTests() {
  if (!process.argv.includes('--for-tests')) return []
  const tool = (name, what) => install(join(root, 'tools', name), what)
  return [
    tool('generators', 'code generators'),
    tool('jest', 'Jest'),
    ...(oldestNodeOnPath() === undefined ? [tool('older-node', 'Node 20')] : []),
  ]
}

/** Resolves with the exit code of npm, or 0 if nothing is missing. */
async function install(folder, what) {
  // npm would empty the folder behind a link, which another checkout uses.
  if (lstatSync(join(folder, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return 0
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (existsSync(installed) && !isOlder(installed, join(folder, 'package-lock.json'))) return 0
  process.stderr.write(`installing ${what}…\n`)
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  })
  const [code] = await once(npm, 'exit')
  return code ?? 1
}

function isOlder(file, than) {
  return statSync(file).mtimeMs < statSync(than).mtimeMs
}
