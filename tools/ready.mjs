// Prepares a fresh clone: installs the dependencies if they are missing or older than the lock file; --bundle also
// builds the bundle, --generators installs the code generators that the tests run on our API description, --older-node
// the oldest Node that the test kit runs on, unless this is it. Runs on whatever Node started npm, so it uses nothing
// newer than Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

install(root, 'dependencies')
if (process.argv.includes('--generators')) install(join(root, 'tools', 'generators'), 'code generators')
if (process.argv.includes('--older-node') && !process.version.startsWith('v20.')) {
  install(join(root, 'tools', 'older-node'), 'Node 20')
}
if (process.argv.includes('--bundle')) {
  const { buildBundle, isBundleFresh } = await import('./bundle.mjs')
  if (!isBundleFresh()) await buildBundle()
}

function install(folder, what) {
  // npm would empty the folder behind a link, which another checkout uses.
  if (lstatSync(join(folder, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (existsSync(installed) && !isOlder(installed, join(folder, 'package-lock.json'))) return
  process.stderr.write(`installing ${what}…\n`)
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

function isOlder(file, than) {
  return statSync(file).mtimeMs < statSync(than).mtimeMs
}
