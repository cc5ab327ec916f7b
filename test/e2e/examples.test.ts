// Every command that README.md and docs/ show, run in a shell, and its output compared with the one shown, where … stands
// for anything. So what a newcomer reads cannot become untrue unnoticed. fixtures/document.ts says how examples are written.
import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Example, examplesIn, patternOf, predecessorOf, upToEndOf } from '../fixtures/document.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { runExamples } from '../fixtures/terminal.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = ['README.md', ...globSync('docs/*.md', { cwd: root })].sort()
const textOf = (document: string) => readFileSync(join(root, document), 'utf8')

/** The database that documents name. */
const shownDatabase = 'postgres://ledger@localhost/ledger'

const folders = new DisposableStack()

describe('the commands of', { concurrency: 3 }, () => {
  after(() => folders.dispose())
  for (const document of documents) {
    test(`${document} do what it says`, async () => {
      const text = textOf(document)
      const examples = examplesIn(text)
      if (examples.length === 0) return
      using folder = temporaryFolder()
      const before = await examplesBefore(text, folder.path)
      const outputs = await runIn(folder.path, [...before, ...examples])
      for (const [index, example] of examples.entries()) {
        const output = outputs[before.length + index]!
        const wanted = 'command' in example ? example : { command: `cat > ${example.file}`, output: '' }
        assert.match(output, patternOf(wanted.output), `${document}:${example.line}: $ ${wanted.command}`)
      }
    })
  }
})

async function runIn(folder: string, examples: readonly Example[]): Promise<string[]> {
  using shared = temporaryFolder()
  const written = examples.map((example) => ('command' in example ? example.command : example.text))
  const hasDatabase = written.some((text) => text.includes(shownDatabase))
  await using database = hasDatabase ? await createTestDatabase() : undefined
  symlinkSync(join(root, 'packages'), join(folder, 'packages'))
  return await runExamples(examples, folder, [
    ['/tmp/', `${shared.path}/`],
    [shownDatabase, database?.url ?? shownDatabase],
    ['/home/me/project', folder],
  ])
}

/**
 * What a reader has done before the document begins. Where a section begins with coming back to a snapshot, the folder gets
 * the ledger that has it, and the reader only starts the node and comes back.
 */
async function examplesBefore(text: string, folder: string): Promise<readonly Example[]> {
  const predecessor = predecessorOf(text)
  if (predecessor === undefined) return []
  const examples = examplesIn(upToEndOf(predecessor.anchor, textOf(predecessor.document)))
  const isCommand = (begin: string) => (example: Example) => 'command' in example && example.command.startsWith(begin)
  const returning = examples.findIndex(isCommand('tallystick restore '))
  if (returning < 0) return examples
  cpSync(join(await ledgerAfter(predecessor.document, examples.slice(0, returning)), data), join(folder, data), {
    recursive: true,
  })
  return [...examples.filter(isCommand('npm start')), ...examples.slice(returning)]
}

/** Where a node keeps its ledger unless it is told. */
const data = '.tallystick'
const ledgers = new Map<string, Promise<string>>()

/** The folder in which these examples of a document were run; for all that continue it, they are run once. */
function ledgerAfter(document: string, examples: readonly Example[]): Promise<string> {
  const known = ledgers.get(document)
  if (known !== undefined) return known
  const { path } = folders.use(temporaryFolder())
  const made = runIn(path, examples).then(() => path)
  ledgers.set(document, made)
  return made
}

describe('a document', () => {
  test('is read as it is meant', () => {
    const text =
      "```console\n$ a '{\n  b}'\nout 1\n  out 2\n\n$ c # says why\n```\n\n```json x.json\n{}\n```\n```js\n1\n```\n"
    assert.deepEqual(examplesIn(text), [
      { line: 2, command: "a '{\n  b}'", output: 'out 1\n  out 2' },
      { line: 7, command: 'c # says why', output: '' },
      { line: 10, file: 'x.json', text: '{}\n' },
    ])
    assert.match('{"a":1,"b":2}', patternOf('{"a":…\n,"b":2}'))
    assert.doesNotMatch('{"a":1,"b":2}', patternOf('{"a":1}'))
    assert.match('23:59:01 ready in 1234 ms', patternOf('14:03:07 ready in\n0.6 ms'))
    assert.doesNotMatch('2030-01-01T00:00:00Z', patternOf('2030-01-01T00:00:01Z'))
  })

  test('is refused when it has commands that are neither run nor marked', () => {
    assert.throws(() => examplesIn('```sh\nnpm install\n```\n'), /line 1: commands are run in ```console blocks/)
    assert.throws(() => examplesIn('text\n```\n$ npm install\n```\n'), /line 2: commands are run in/)
    assert.deepEqual(examplesIn('<!-- not run: needs Docker -->\n```sh\ndocker run x\n```\n'), [])
    assert.deepEqual(examplesIn('<!-- not run: needs Docker -->\n\n```sh\ndocker run x\n```\n'), [])
    assert.throws(() => examplesIn('<!-- not run: a file -->\n```json\n{}\n```\n'), /without commands/)
  })

  test('continues another up to the end of a section', () => {
    const text = '# A\n1\n## B c\n2\n### D\n3\n'
    assert.equal(upToEndOf('b-c', text), '# A\n1\n## B c\n2')
    assert.deepEqual(predecessorOf('<!-- after: README.md#b-c -->\n'), { document: 'README.md', anchor: 'b-c' })
    assert.throws(() => upToEndOf('x', text), /there is no section #x/)
  })
})
