// tallystick exec: a command beside a node of its own. What the command is told, who gets the signals, and how it ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Surroundings } from '../../src/cli/command.ts'
import { runProgram } from '../../src/cli/foreground-program.ts'
import { call } from '../fixtures/command.ts'
import { launch, run, temporaryFolder } from '../fixtures/process.ts'

const tallystick = fileURLToPath(new URL('../../bin/tallystick', import.meta.url))

const world = {
  parties: { alice: {}, 'big-bank': { hint: 'bank' } },
  users: { alice: { readAs: ['$alice'] }, 'app@home': { actAs: ['$alice', '$big-bank'] } },
}

/** A script of Node as the words of a command. */
const script = (text: string) => ['--', process.execPath, '-e', text]

function worldFile(folder: string, content: object): string {
  const file = join(folder, 'world.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

describe('a command that is run beside a node', () => {
  test('is told where it is, who is who, and their tokens; its exit code and its output are its own', async () => {
    using folder = temporaryFolder()
    const program = `
      const { execFileSync } = require('node:child_process')
      const told = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('TALLYSTICK_')))
      const ask = async (path, token) => {
        const headers = { authorization: 'Bearer ' + told[token] }
        return (await fetch(told.TALLYSTICK_URL + path, { headers })).json()
      }
      const tallystick = (...words) =>
        execFileSync(process.execPath, [${JSON.stringify(tallystick)}, ...words], { encoding: 'utf8' })
      const rights = async (token) => {
        const { user } = await ask('/v2/authenticated-user', token)
        const { rights } = await ask('/v2/users/' + encodeURIComponent(user.id) + '/rights', token)
        return [user.id, ...rights.map(({ kind }) => Object.keys(kind)[0] + ' ' + Object.values(kind)[0].value.party)]
      }
      const tokens = Object.keys(told).filter((name) => name.startsWith('TALLYSTICK_TOKEN_'))
      Promise.all(tokens.map(rights)).then(async (found) => {
        const users = (await ask('/v2/users', 'TALLYSTICK_TOKEN')).users.map(({ id }) => id)
        const status = JSON.parse(tallystick('status', '--json'))
        const issued = JSON.parse(tallystick('token', '--user', 'app@home', '--json'))
        console.log(JSON.stringify({ told, found, users, status, issued }))
        process.exit(7)
      })`
    const file = worldFile(folder.path, world)
    const data = join(folder.path, 'data')
    const environment = {
      TALLYSTICK_STORE_DATA: data,
      TALLYSTICK_TOKEN: 'of another node',
      TALLYSTICK_PARTY_OTHER: 'of another node',
      TALLYSTICK_HTTP_PORT: '1', // Only a flag chooses the port.
    }
    const { code, output, errors } = await run(
      ['exec', '--seed', 'exec', '--world', file, ...script(program)],
      environment,
    )
    assert.deepEqual([code, errors], [7, ''])
    const { told, found, users, status, issued } = JSON.parse(output)
    const { TALLYSTICK_PARTY_ALICE: alice, TALLYSTICK_PARTY_BIG_BANK: bank } = told
    assert.match(alice, /^alice::1220/)
    assert.match(bank, /^bank::1220/)
    assert.deepEqual(
      Object.keys(told).sort(),
      [
        ...['TALLYSTICK_HTTP_PORT', 'TALLYSTICK_STORE_DATA', 'TALLYSTICK_URL', 'TALLYSTICK_TOKEN'],
        ...['TALLYSTICK_PARTY_ALICE', 'TALLYSTICK_PARTY_BIG_BANK'],
        ...['TALLYSTICK_TOKEN_ALICE', 'TALLYSTICK_TOKEN_APP_HOME', 'TALLYSTICK_TOKEN_BIG_BANK'],
      ].sort(),
    )
    assert.deepEqual(found.sort(), [
      ['alice', `CanReadAs ${alice}`],
      ['app@home', `CanActAs ${alice}`, `CanActAs ${bank}`],
      ['bank', `CanActAs ${bank}`],
    ])
    assert.deepEqual(users.sort(), ['alice', 'app@home', 'bank', 'participant_admin'])
    assert.deepEqual([status.url, status.state], [told.TALLYSTICK_URL, 'ready'])
    assert.equal(typeof status.participantId, 'string')
    assert.equal(issued.userId, 'app@home')
    assert.equal(existsSync(data), false)
    await assert.rejects(fetch(told.TALLYSTICK_URL))
  })

  const signals: [signal: NodeJS.Signals, program: string, code: number][] = [
    ['SIGTERM', "process.on('SIGTERM', () => process.exit(5))", 5],
    ['SIGINT', '', 130],
  ]
  for (const [signal, program, code] of signals) {
    test(`gets ${signal}, and the node stops after it: ${code}`, async () => {
      using folder = temporaryFolder()
      const data = join(folder.path, 'data')
      const forever = 'setInterval(() => {}, 1000); console.log(process.env.TALLYSTICK_URL)'
      const started = launch(['exec', '--data', data, ...script(`${program}; ${forever}`)], {})
      const [url] = await once(started.process.stdout!, 'data')
      assert.equal((await fetch(`${String(url).trim()}/livez`)).status, 200)
      const isRecord = (name: string) => name.startsWith('node-')
      assert.equal(readdirSync(data).filter(isRecord).length, 1)
      started.process.kill(signal)
      await once(started.process, 'close')
      assert.deepEqual([started.process.exitCode, started.errors()], [code, ''])
      assert.equal(readdirSync(data).filter(isRecord).length, 0)
      await assert.rejects(fetch(String(url).trim()))
    })
  }

  test('has a node whose ports nothing but flags chooses', async () => {
    await using taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    const environment = { TALLYSTICK_GRPC_PORT: port, TALLYSTICK_HTTP_PORT: port }
    const called = await call(['exec', '--', 'true'], { environment })
    assert.deepEqual([called.code, called.told], [0, ''])
  })

  test('gets no second Ctrl-C if it has one from its terminal', async () => {
    const words = [process.execPath, '-e', 'setInterval(() => {}, 1000)']
    const surroundings = { hasTerminal: true, tell: () => undefined } as unknown as Surroundings
    const program = runProgram({ words, environment: process.env }, surroundings)
    program.stop('SIGINT')
    program.stop('SIGTERM')
    assert.equal(await program.ended, 143)
  })
})

describe('a command that is not run', () => {
  test('its reason is on standard error, also if that is no terminal', async () => {
    const { code, errors } = await run(['exec', '--dar', 'none.dar', '--', 'true'])
    assert.equal(code, 125)
    assert.match(errors, /^tallystick: the node cannot start: cannot read the DAR: ENOENT/)
  })

  const cases: [why: string, words: (folder: string) => string[], code: number, told: RegExp][] = [
    [
      'there is none of that name',
      () => ['--', 'no-such-program-anywhere'],
      127,
      /^tallystick: cannot run no-such-program-anywhere: there is no such program$/,
    ],
    ['it is a folder', (folder) => ['--', folder], 126, /^tallystick: cannot run .*: EACCES$/],
    [
      'the node has no DAR',
      (folder) => ['--dar', join(folder, 'none.dar'), '--', 'true'],
      125,
      /^tallystick: the node cannot start: cannot read the DAR: ENOENT/,
    ],
    [
      'two names of the world would be one variable',
      (folder) => ['--world', worldFile(folder, { parties: { 'a-b': {}, a_B: {} } }), '--', 'true'],
      125,
      /^tallystick: the node cannot start: a-b and a_B would both be TALLYSTICK_PARTY_A_B; rename one/,
    ],
  ]
  for (const [why, words, code, told] of cases) {
    test(`${why}: ${code}`, async () => {
      using folder = temporaryFolder()
      mkdirSync(join(folder.path, 'empty'))
      const called = await call(['exec', ...words(join(folder.path, 'empty'))])
      assert.deepEqual([called.code, called.output], [code, ''])
      assert.match(called.told, told)
    })
  }

  const mistakes: [words: string[], reason: RegExp][] = [
    [[], /^COMMAND is missing; usage: tallystick exec \[options\] -- COMMAND…$/],
    [['--', ...[]], /^COMMAND is missing/],
    [['npm', 'test'], /^Unexpected argument 'npm'.*usage: tallystick exec \[options\] -- COMMAND…, or --help$/],
    [['--porrt', '1', '--', 'x'], /did you mean --port\?/],
  ]
  for (const [words, reason] of mistakes) {
    test(`the line is wrong: exec ${words.join(' ')}`, async () => {
      await assert.rejects(call(['exec', ...words]), { name: 'Error', message: reason })
    })
  }
})
