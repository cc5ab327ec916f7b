// Makes mistakes in the code on purpose, one at a time, and sees whether a test notices.
//   npm run mutate -- FILE|FOLDER… [--tests FILE]… [--count 50] [--seed 7]
// A file is tested by the tests beside it that import it, by those of its folder in `widerTests`, and by --tests. Works
// on a copy of the source tree. Prints one line per mistake; a mistake that no test notices may also change nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempDisposableSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AnyNode, type Expression, parse } from 'acorn'

const root = join(import.meta.dirname, '..')
const copied = ['src', 'test', 'packages', 'attack', 'tools', 'bin', 'package.json', 'tsconfig.json']

/** Tests through the public interface that reach a whole folder. */
const widerTests: Readonly<Record<string, readonly string[]>> = {
  'src/engine': ['src/engine/engine.test.ts', 'src/engine/upgrades.test.ts', 'test/differential/engine.test.ts'],
  'src/lf/checking': ['test/differential/type-checker.test.ts'],
  'src/lf/codec': ['src/engine/upgrades.test.ts', 'test/differential/engine.test.ts'],
}

/** A mistake replaces one piece of a file's text. */
type Mistake = { readonly file: string; readonly start: number; readonly end: number; readonly text: string }

const otherOperators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
})
if (positionals.length === 0) throw new Error('name files or folders of src: npm run mutate -- src/engine/builtins')

const files = positionals.flatMap((place) => (statSync(join(root, place)).isFile() ? [place] : sourcesIn(place)))
const tests = new Map(files.map((file) => [file, testsOf(file)]))
const all = files.filter((file) => tests.get(file)!.length > 0).flatMap(mistakesIn)
const chosen = shuffled(all, Number(values.seed)).slice(0, Number(values.count))
for (const file of files) if (tests.get(file)!.length === 0) console.info(`${file}: no test; name one with --tests`)
console.info(`seed ${values.seed}: ${chosen.length} of ${all.length} mistakes in ${files.length} files`)

using folder = mkdtempDisposableSync(join(tmpdir(), 'tallystick-mutate-'))
for (const name of copied) cpSync(join(root, name), join(folder.path, name), { recursive: true })
for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(folder.path, name))

for (const test of new Set(chosen.flatMap(({ file }) => tests.get(file)!))) {
  if (await fails(test)) throw new Error(`${test} fails without a mistake`)
}
const unnoticed: string[] = []
for (const [index, mistake] of chosen.entries()) {
  const test = await withMistake(mistake, () => firstThatFails(tests.get(mistake.file)!))
  const line = `${index + 1}/${chosen.length} ${shown(mistake)}`
  console.info(`${line}: ${test === undefined ? 'NOT NOTICED' : `noticed by ${test}`}`)
  if (test === undefined) unnoticed.push(shown(mistake))
}
console.info(`${chosen.length - unnoticed.length} of ${chosen.length} noticed`)
for (const each of unnoticed) console.info(`not noticed: ${each}`)

function sourcesIn(place: string): string[] {
  return globSync(`${place}/**/*.ts`, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
}

function testsOf(file: string): string[] {
  const beside = globSync(`${dirname(file)}/*.test.ts`, { cwd: root })
  const own = beside.filter((test) => readFileSync(join(root, test), 'utf8').includes(`'./${basename(file)}'`))
  const wider = Object.entries(widerTests).flatMap(([place, names]) => (file.startsWith(`${place}/`) ? names : []))
  return [...new Set([...own, ...wider, ...values.tests])]
}

function mistakesIn(file: string): Mistake[] {
  const source = readFileSync(join(root, file), 'utf8')
  // Types become blanks, so places in the program are places in the source.
  const program = stripTypeScriptTypes(source)
  if (program.length !== source.length) throw new Error(`${file}: its types cannot be blanked`)
  const found: Mistake[] = []
  const note = (start: number, end: number, text: string) => found.push({ file, start, end, text })
  const replace = (node: AnyNode, text: string) => note(node.start, node.end, text)
  const operator = (left: AnyNode, right: AnyNode, from: string, to: string) => {
    const start = source.indexOf(from, left.end)
    if (start >= left.end && start < right.start) note(start, start + from.length, to)
  }
  visit(parse(program, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const { left, right } = node
      const other = otherOperators[node.operator]
      if (other !== undefined && ![left, right].some(isText)) operator(left, right, node.operator, other)
    } else if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
      for (const text of ['true', 'false']) replace(node.test, text)
    } else if (node.type === 'UnaryExpression' && node.operator === '!') note(node.start, node.start + 1, '')
    else if (node.type === 'ExpressionStatement' || node.type === 'ThrowStatement') replace(node, '{}')
    else if (node.type === 'Literal' && typeof node.value === 'boolean') replace(node, String(!node.value))
    else if (node.type === 'Literal' && typeof node.value === 'number') replace(node, String(node.value + 1))
  })
  return found
}

function isText(node: Expression | AnyNode): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

/** Visits the nodes of a program, which are objects with a type among the members of other nodes. */
function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node)
  for (const member of Object.values(node).flat()) {
    if (typeof member === 'object' && member !== null && 'type' in member) visit(member as AnyNode, see)
  }
}

/** In an order that the seed decides (Fisher and Yates, with a linear congruential generator). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items]
  let state = seed >>> 0
  for (let last = result.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (last + 1))
    const item = result[last]!
    result[last] = result[other]!
    result[other] = item
  }
  return result
}

async function withMistake<T>({ file, start, end, text }: Mistake, run: () => Promise<T>): Promise<T> {
  const place = join(folder.path, file)
  const source = readFileSync(place, 'utf8')
  writeFileSync(place, source.slice(0, start) + text + source.slice(end))
  try {
    return await run()
  } finally {
    writeFileSync(place, source)
  }
}

async function firstThatFails(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if (await fails(name)) return name
  return undefined
}

/** Ends the tests with the first that fails. */
async function fails(test: string): Promise<boolean> {
  const args = ['test/run.ts', '--without-postgres', '--test-ms', '60000', test]
  const child = spawn(process.execPath, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'close') as Promise<[code: number | null]>
  for await (const part of child.stdout) if (String(part).includes('✖')) child.kill()
  const [code] = await ended
  return code !== 0
}

function shown({ file, start, end, text }: Mistake): string {
  const source = readFileSync(join(root, file), 'utf8')
  const line = source.slice(0, start).split('\n').length
  const [from, to] = [source.slice(start, end), text].map((one) => one.replaceAll(/\s+/g, ' ').slice(0, 60))
  return `${file}:${line}: ${from} → ${to === '' ? 'nothing' : to}`
}
