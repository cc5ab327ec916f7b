// Daml Scripts: a hundred of ten submissions each, as tests and one by one on one node, and the first result of `tallystick test`
// beside the start of a node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coining, withScripts } from '../test/support/lf/script-package.ts'
import { median, startServer, tallystick, temporaryFolder } from './processes.ts'

const scripts = 100
const submissions = 10
const rounds = 3
const starts = 9

/** From the start of the process to its end, and to the first line that it prints. */
async function timesOf(...words: string[]): Promise<{ readonly allMs: number; readonly firstMs: number }> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, tallystick(...words), { stdio: ['ignore', 'pipe', 'inherit'] })
  let firstMs = 0
  child.stdout.on('data', () => {
    firstMs ||= performance.now() - startedMs
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`tallystick ${words.join(' ')} ended with ${code}`)
  return { allMs: performance.now() - startedMs, firstMs }
}

function writeDar(folder: string, count: number): string {
  const file = join(folder, `${count}.dar`)
  const made = Array.from({ length: count }, (_, index) => coining(`bench${index}`, submissions))
  writeFileSync(
    file,
    withScripts((syntax) => made.map((each) => each(syntax))),
  )
  return file
}

export async function hundredScripts() {
  using folder = temporaryFolder()
  const file = writeDar(folder.path, scripts)
  const results: [number, number][] = []
  for (let round = 0; round < rounds; round += 1) {
    const tests = await timesOf('test', file, '--name', 'Scripts:bench')
    const data = join(folder.path, `ledger-${round}`)
    const program = tallystick(
      'start',
      '--port',
      '0',
      '--log-level',
      'warn',
      '--memory',
      '--auth',
      'off',
      '--dar',
      file,
    )
    await using server = await startServer(program, '/readyz')
    const names = Array.from({ length: scripts }, (_, index) => ['--script-name', `Scripts:bench${index}`]).flat()
    const one = await timesOf('script', '--dar', file, ...names, '--url', server.url, '--data', data)
    results.push([tests.allMs, one.allMs])
  }
  const [a, b] = [median(results.map(([each]) => each)), median(results.map(([, each]) => each))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}

export async function firstResult() {
  using folder = temporaryFolder()
  const file = writeDar(folder.path, 1)
  const start = async () => {
    await using server = await startServer(
      tallystick('start', '--port', '0', '--log-level', 'warn', '--memory'),
      '/readyz',
    )
    return server.readyMs
  }
  const first = async () => (await timesOf('test', file, '--name', 'Scripts:bench')).firstMs
  await start() // Fills the compile cache.
  await first()
  const results: [number, number][] = []
  for (let round = 0; round < starts; round += 1) results.push([await first(), await start()])
  const [a, b] = [median(results.map(([each]) => each)), median(results.map(([, each]) => each))]
  return { ours: Math.round(a), theirs: Math.round(b), unit: 'ms', ratio: a / b }
}
