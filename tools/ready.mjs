// Makes a fresh clone ready: installs the dependencies when they are missing or older than the lock file, and with
// --bundle builds what users start. Runs on whatever Node started npm, so it uses nothing newer than Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const installed = join(root, 'node_modules', '.package-lock.json')

if (!existsSync(installed) || isOlder(installed, join(root, 'package-lock.json'))) {
  process.stderr.write('installing dependencies…\n')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}
if (process.argv.includes('--bundle')) {
  const { buildBundle, isBundleFresh } = await import('./bundle.mjs')
  if (!isBundleFresh()) await buildBundle()
}

function isOlder(file, than) {
  return statSync(file).mtimeMs < statSync(than).mtimeMs
}
