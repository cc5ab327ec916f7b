// The Node on the PATH, outside node_modules: what people run their own projects with. Node 20 reads this file, too.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const oldestMajor = 20

/** The first one that is too old for Tallystick itself. */
export const olderNodeOnPath = () => nodesOnPath().find((file) => majorOf(file) < 26)

/** The oldest one that the test kit runs on. */
export const oldestNodeOnPath = () => nodesOnPath().find((file) => majorOf(file) === oldestMajor)

function nodesOnPath() {
  const executable = process.platform === 'win32' ? 'node.exe' : 'node'
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return folders.map((folder) => join(folder, executable)).filter((file) => existsSync(file))
}

/** NaN for what does not run, such as the shim of a version manager that has no version. */
function majorOf(file) {
  try {
    const version = execFileSync(file, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Number.parseInt(version.slice(1), 10)
  } catch {
    return Number.NaN
  }
}
