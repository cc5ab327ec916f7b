// Prepares a fresh clone: installs the dependencies if they are missing or older than the lock file; --bundle also
// builds the bundle, --generators installs the code generators that the tests run on our API description, --older-node
// the oldest Node that the test kit runs on, unless this is it. Runs on whatever Node started npm, so it uses nothing
// newer than Node 20.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const needsOlderNode = process.argv.includes('--older-node') && !process.version.startsWith('v20.')
const statuses = await Promise.all([
  install(root, 'dependencies'),
  process.argv.includes('--generators') ? install(join(root, 'tools', 'generators'), 'code generators') : 0,
  needsOlderNode ? install(join(root, 'tools', 'older-node'), 'Node 20') : 0,
])
const failed = statuses.find((status) => status !== 0)
if (failed !== undefined) process.exit(failed)
if (process.argv.includes('--bundle')) {
  const { buildBundle, isBundleFresh } = await import('./bundle.mjs')
  if (!isBundleFresh()) await buildBundle()
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
