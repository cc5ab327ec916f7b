// Checks types, lint and format side by side, and prints what each of them found. tsc has one checker for each program:
// several would check much of the same again.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const checks = [
  ['tsc', '--checkers', '1'],
  ['tsc', '--checkers', '1', '-p', 'src/explorer'],
  ['biome', 'check', '--colors=off'],
]

const statuses = await Promise.all(checks.map(run))
process.exit(Math.max(...statuses))

/** npm has put the programs of the packages on the path. */
async function run([program, ...args]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('exit', (code) => resolve(code ?? 1)))
  const [said, complained, status] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  process.stdout.write(`${[program, ...args].join(' ')}\n${said}${complained}`)
  return status
}
