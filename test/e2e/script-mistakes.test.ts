// What bad input to the commands of scripts gets: one clear line that names the file and the script; the other scripts go on.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startInProcess } from '../../src/kit/in-process.ts'
import type { RunningNode } from '../../src/kit/running-node.ts'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import type { Value } from '../../src/lf/syntax/ast.ts'
import { call } from '../fixtures/command.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { scriptsDar } from '../fixtures/script-runner.ts'
import { darOf } from '../support/lf/package-writer.ts'
import { type ScriptSyntax, withScripts } from '../support/lf/script-package.ts'

const quickstart = new URL('../../packages/quickstart/quickstart.dar', import.meta.url).pathname
const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)

/** A text that says that it is a party; no script uses it. */
const illTyped = ({ party, text }: ScriptSyntax): Value[] => [{ name: 'liar', type: party, body: () => text('') }]

before(() => {
  writeFileSync(at('incomplete.dar'), darOf({ 'main.dalf': decodeDar(readFileSync(scriptsDar)).main.bytes }))
  writeFileSync(at('torn.dar'), readFileSync(scriptsDar).subarray(0, 10_000))
  copyFileSync(scriptsDar, at('copy.dar'))
  writeFileSync(at('wrong.json'), '{"a":1}')
  writeFileSync(at('broken.json'), '{')
  writeFileSync(at('right.json'), '21')
})
after(() => folder[Symbol.dispose]())

describe('tallystick test', () => {
  test('files that cannot be used are a line each, and the others go on', async () => {
    const files = ['missing.dar', at('wrong.json'), at('torn.dar'), quickstart, at('incomplete.dar')]
    const { output, code } = await call(['test', ...files, scriptsDar, '--name', 'Scripts:now$'])
    const lines: readonly RegExp[] = [
      /^✖ missing\.dar\n {2}cannot read the DAR: ENOENT.*missing\.dar'$/m,
      /^✖ \S+wrong\.json\n {2}\S+wrong\.json is not a DAR that runs here: .+$/m,
      /^✖ \S+torn\.dar\n {2}\S+torn\.dar is not a DAR that runs here: .+$/m,
      /^✖ \S+quickstart\.dar\n {2}it has no scripts: no top-level value of the type Script a in its main package$/m,
      /^✖ \S+incomplete\.dar\n {2}cannot upload \S+incomplete\.dar: .+$/m,
      /^✔ Scripts:now in \S+scripts-lf23\.dar \(\d+ ms\)$/m, // The refused file has it, too.
      /^1 passed, 5 failed/m,
    ]
    for (const line of lines) assert.match(output, line)
    assert.equal(code, 1)
  })

  for (const script of ['now', 'askForever']) {
    test(`a DAR with a type error is refused, though ${script} would run`, async () => {
      const dar = at(`ill-typed-for-${script}.dar`)
      writeFileSync(dar, withScripts(illTyped))
      const { output, code } = await call(['test', dar, '--name', `Scripts:${script}$`])
      assert.match(output, /^✖ \S+\.dar\n {2}cannot upload \S+\.dar: Package validation failed\..+: type mismatch:\n/)
      assert.match(output, /^0 passed, 1 failed, 1 not run/m)
      assert.equal(code, 1)
    })
  }

  // One that asks forever is in script-tests.test.ts.
  test('scripts that compute without end or take too much memory are a line each, and the others go on', async () => {
    // Commands are bounded by the same settings.
    const environment = { TALLYSTICK_ENGINE_STEPS_MAX: '20000000', TALLYSTICK_ENGINE_HEAP_MB: '64' }
    const { output, code } = await call(['test', scriptsDar, '--name', 'Scripts:(compute|devour|now)$'], {
      environment,
    })
    const memory = 'the script needs more than 64 MB of memory; its last question was GetTime'
    const lines: readonly RegExp[] = [
      /^✖ Scripts:compute \(\d+ ms\)\n {2}The script needs more steps than this node allows$/m,
      new RegExp(`^✖ Scripts:devour \\(\\d+ ms\\)\\n {2}${memory}$`, 'm'),
      /^✔ Scripts:now \(\d+ ms\)$/m,
      /^1 passed, 2 failed/m,
    ]
    for (const line of lines) assert.match(output, line)
    assert.equal(code, 1)
  })

  test('a name that two DARs share is told with its file', async () => {
    const { output, code } = await call(['test', scriptsDar, at('copy.dar'), '--name', 'Scripts:now$'])
    assert.match(
      output,
      /^✔ Scripts:now in \S+scripts-lf23\.dar \(\d+ ms\)\n✔ Scripts:now in \S+copy\.dar \(\d+ ms\)$/m,
    )
    assert.equal(code, 0)
  })

  test('a script that takes an argument is none to run', async () => {
    const { output, code } = await call(['test', scriptsDar, '--name', 'Scripts:doubled$'])
    const words = 'Scripts:doubled takes an argument: tallystick script runs such a script, with --input-file'
    assert.match(output, new RegExp(`^✖ \\S+scripts-lf23\\.dar\\n {2}${words}$`, 'm'))
    assert.equal(code, 1)
  })
})

describe('tallystick script', () => {
  let node: RunningNode
  before(async () => {
    node = await startInProcess({ time: 'static' })
  })
  after(() => node.close())
  const script = (...words: string[]) =>
    call(['script', '--dar', scriptsDar, '--url', node.participants[0]!.url, '--token', node.token, ...words])
  const named = (name: string, file?: string) =>
    script('--script-name', `Scripts:${name}`, ...(file === undefined ? [] : ['--input-file', at(file)]))

  const refusals: readonly (readonly [what: string, run: () => Promise<unknown>, words: RegExp])[] = [
    [
      'an argument that is missing',
      () => named('doubled'),
      /^the script Scripts:doubled in \S+scripts-lf23\.dar requires an argument: give it with --input-file$/,
    ],
    [
      'an argument too many',
      () => named('now', 'right.json'),
      /^the script Scripts:now in \S+scripts-lf23\.dar takes no arguments$/,
    ],
    ['an input that is no JSON', () => named('doubled', 'broken.json'), /^\S+broken\.json is not JSON: .+$/],
    ['no such input', () => named('doubled', 'none.json'), /^cannot read \S+none\.json: ENOENT/],
    [
      'no such script',
      () => named('doubld'),
      /^\S+scripts-lf23\.dar has no script Scripts:doubld; did you mean Scripts:doubled\?$/,
    ],
    [
      'a DAR without scripts',
      () => call(['script', '--dar', quickstart, '--all']),
      /^\S+quickstart\.dar has no script to run$/,
    ],
  ]
  for (const [what, run, words] of refusals) {
    test(`${what} is refused in one line`, async () => {
      await assert.rejects(run, { name: 'Error', message: words })
    })
  }

  test('an input that does not fit names the script and the place', async () => {
    const { output, code } = await named('doubled', 'wrong.json')
    assert.match(output, /^Scripts:doubled FAILURE\n {2}.+$/)
    assert.equal(code, 1)
  })
})
