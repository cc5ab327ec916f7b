// Runs a file with the project's Node, for npm scripts: node tools/with-runtime.mjs FILE [ARGUMENT]… npm's own scripts
// run on whatever Node started npm. Works under every Node from 20 on.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isMusl, muslHint, oldestMajor, runtimePath } from '../bin/runtime.mjs'

const child = spawn(runtime(), process.argv.slice(2), { stdio: 'inherit' })
// A terminal signals the child itself. Other signals to this process are meant for the child.
process.on('SIGINT', () => undefined)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`cannot start Node ${oldestMajor}: ${isMusl() ? muslHint : error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))

function runtime() {
  if (Number.parseInt(process.versions.node, 10) >= oldestMajor) return process.execPath
  try {
    return runtimePath()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
