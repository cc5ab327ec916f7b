// Runs every command of README.md in a shell against a node, and compares its output with the one shown, where … stands
// for anything. So README.md cannot become outdated unnoticed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { start, temporaryFolder } from '../fixtures/process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

type Example = { readonly command: string; readonly output: string }

describe('README.md', () => {
  test('shows commands that do what it says', async () => {
    using folder = temporaryFolder()
    symlinkSync(join(root, 'packages'), join(folder.path, 'packages'))
    // On a slow machine the commands take so long that lists would contain checkpoints.
    const environment = { TALLYSTICK_LIMITS_OFFSET_CHECKPOINT_MS: '3600000' }
    await using node = await start(['--data', join(folder.path, '.tallystick')], environment)
    const shown = examplesIn(readFileSync(join(root, 'README.md'), 'utf8')).map(({ command, output }) => ({
      command: command.replaceAll('http://127.0.0.1:7575', node.url),
      output,
    }))
    assert.ok(shown.length > 15)
    const outputs = await runInShell(
      shown.map(({ command }) => command),
      folder.path,
    )
    for (const [index, { command, output }] of shown.entries()) {
      assert.match(outputs[index]!.trim(), patternOf(output), `$ ${command}`)
    }
  })

  test('is parsed correctly', () => {
    const text = "```console\n$ a '{\n  b}'\nout 1\n  out 2\n\n$ c # says why\n```\n\n```\n$ d\n```\n"
    assert.deepEqual(examplesIn(text), [
      { command: "a '{\n  b}'", output: 'out 1\n  out 2' },
      { command: 'c # says why', output: '' },
    ])
    assert.match('{"a":1,"b":2}', patternOf('{"a":…\n,"b":2}'))
    assert.doesNotMatch('{"a":1,"b":2}', patternOf('{"a":1}'))
  })
})

/** The commands of all `console` blocks. A command continues over lines while a quote is open. */
function examplesIn(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const lines = text.split('\n')
        const isWhole = (count: number) => (lines.slice(0, count).join('\n').split("'").length - 1) % 2 === 0
        const length = lines.findIndex((_, index) => isWhole(index + 1)) + 1
        return { command: lines.slice(0, length).join('\n'), output: lines.slice(length).join('\n').trim() }
      }),
  )
}

/** Answers are one line, which README.md may break between any two tokens; … matches anything. */
function patternOf(output: string): RegExp {
  const escaped = RegExp.escape(output).replaceAll('\\n', '\\n?')
  return new RegExp(`^${escaped.replaceAll('…', '[\\s\\S]*?')}$`)
}

const mark = '-- the next command --'

/** The output of each. The node and the tests are running already, so of npm only `npm run` does anything. */
async function runInShell(commands: readonly string[], folder: string): Promise<string[]> {
  const npm = `npm() { [ "$1" != run ] || { shift 4; '${process.execPath}' '${join(root, 'bin', 'tallystick')}' "$@"; }; }`
  const script = [npm, ...commands.flatMap((command) => [`echo '${mark}'`, command, 'echo'])].join('\n')
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: process.env.HOME }, timeout: 120_000 }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], options)
  assert.equal(stderr, '')
  return stdout.split(`${mark}\n`).slice(1)
}
