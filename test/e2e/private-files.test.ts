// Access to the files of a node: their modes, and the participant's private key inside and outside the database.
import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSqliteForReading } from '../../src/store/sqlite/sqlite.ts'
import { runHere } from '../fixtures/command.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { assertOneLine, launchProgram, run, start, temporaryFolder } from '../fixtures/process.ts'

const together = { concurrency: 3 }
const executable = fileURLToPath(new URL('../../bin/tallystick', import.meta.url))
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const keyless = 'the key of this ledger is kept outside of it: set participant.keyFile or participant.key'

describe('the files of a node', { ...together, skip: process.platform === 'win32' && 'Windows has no modes' }, () => {
  test('are accessible to its own account alone, even with the most permissive umask', async () => {
    using place = temporaryFolder()
    const folder = join(place.path, 'deep', 'ledger')
    const command = `umask 000; exec "$0" "$@"`
    const args = [executable, 'start', '--port', '0', '--data', folder]
    const node = launchProgram(['/bin/sh', '-c', command, process.execPath, ...args], {})
    while (!/ready in/.test(node.output())) await once(node.process.stdout!, 'data')
    const names = readdirSync(folder).sort()
    const record = names.find((name) => /^node-\d+\.json$/.test(name)) ?? 'a record for other commands'
    const ledger = ['ledger.sqlite', 'ledger.sqlite-shm', 'ledger.sqlite-wal', 'lock.sqlite']
    assert.deepEqual(names, [...ledger, record, 'snapshots', 'token-secret'])
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    const modes = entries.map((entry) => [entry.isDirectory(), modeOf(join(entry.parentPath, entry.name))].join(' '))
    assert.deepEqual([...new Set(modes)].sort(), ['false 600', 'true 700'])
    assert.deepEqual([modeOf(folder), modeOf(join(place.path, 'deep'))], ['700', '700'])
    node.process.kill('SIGTERM')
    await once(node.process, 'close')
  })

  test('that others can read cause a warning in development, otherwise a refusal unless allowed', async () => {
    using place = temporaryFolder()
    const args = ['--data', place.path, '--auth', 'off']
    await (await start(args)).stop('SIGTERM')
    chmodSync(place.path, 0o755)
    const ledger = join(place.path, 'ledger.sqlite')
    chmodSync(ledger, 0o644)
    const problem = `other accounts of this machine can read or change ${ledger}`
    const warned = await start(args)
    await warned.stop('SIGTERM')
    assert.ok(warned.errors.includes(`"msg":"${problem}"`), warned.errors)
    const serious = { TALLYSTICK_DEVELOPMENT: 'false' }
    const refused = await run(['start', '--port', '0', ...args], serious)
    assertOneLine(refused, 1, new RegExp(`^${problem}; remove their rights with chmod go=`))
    await using tolerated = await start(args, { ...serious, TALLYSTICK_STORE_FILES_OPEN_TO_OTHERS: 'warn' })
    assert.ok(tolerated.errors.includes(problem))
  })
})

describe("the participant's key", together, () => {
  test('is created in a file at the first start, and required at every other', async () => {
    using place = temporaryFolder()
    const data = join(place.path, 'ledger')
    const keyFile = join(place.path, 'keys', 'participant.pem')
    const outside = { TALLYSTICK_PARTICIPANT_KEY_FILE: keyFile }
    const args = ['--data', data, '--auth', 'off']
    const first = await start(args, outside)
    const participant = participantOf(first.output)
    await first.stop('SIGTERM')
    assert.equal(modeOf(keyFile), '600')
    const seed = seedOf(readFileSync(keyFile, 'utf8'))
    assertNowhere(seed, data)
    assertUnsaid(seed, first)

    assertOneLine(await run(['start', '--port', '0', ...args]), 1, new RegExp(`^${keyless}$`))
    const wrong = join(place.path, 'wrong.pem')
    writeFileSync(wrong, newKey(), { mode: 0o600 })
    const refused = await run(['start', '--port', '0', ...args], { TALLYSTICK_PARTICIPANT_KEY_FILE: wrong })
    const [, namespace] = participant.split('::')
    const mismatch = new RegExp(
      `^the key has the fingerprint 1220[0-9a-f]{64}, and this ledger belongs to ${namespace}$`,
    )
    assertOneLine(refused, 1, mismatch)
    const gone = { TALLYSTICK_PARTICIPANT_KEY_FILE: join(place.path, 'gone.pem') }
    assertOneLine(await run(['start', '--port', '0', ...args], gone), 1, /^there is no key in .*gone\.pem; /)
    assert.ok(!existsSync(gone.TALLYSTICK_PARTICIPANT_KEY_FILE))

    const second = await start(args, outside)
    assert.equal(participantOf(second.output), participant)
    await second.stop('SIGTERM')
    const oneLine = readFileSync(keyFile, 'utf8').replaceAll('\n', '\\n')
    const third = await start(args, { TALLYSTICK_PARTICIPANT_KEY: oneLine })
    assert.equal(participantOf(third.output), participant)
    await third.stop('SIGTERM')
    const { output: token } = await runHere(['token', '--user', 'participant_admin', '--data', data])
    assert.equal(token, '') // There is no token secret with --auth off.
  })

  test('may be encrypted', async () => {
    using place = temporaryFolder()
    const keyFile = join(place.path, 'participant.pem')
    const args = ['--data', join(place.path, 'ledger'), '--auth', 'off']
    const outside = { TALLYSTICK_PARTICIPANT_KEY_FILE: keyFile, TALLYSTICK_PARTICIPANT_KEY_PASSPHRASE: 's3cret' }
    const first = await start(args, outside)
    await first.stop('SIGTERM')
    assert.match(readFileSync(keyFile, 'utf8'), /^-----BEGIN ENCRYPTED PRIVATE KEY-----/)
    const closed = /^cannot use the participant's key in .*: participant\.keyPassphrase does not open it$/
    for (const passphrase of [{}, { TALLYSTICK_PARTICIPANT_KEY_PASSPHRASE: 'other' }]) {
      const environment = { TALLYSTICK_PARTICIPANT_KEY_FILE: keyFile, ...passphrase }
      assertOneLine(await run(['start', '--port', '0', ...args], environment), 1, closed)
    }
    const second = await start(args, outside)
    assert.equal(participantOf(second.output), participantOf(first.output))
    await second.stop('SIGTERM')
  })

  const bad: [what: string, pem: string, problem: RegExp][] = [
    ['none', 'nonsense s3cret', /it is no private key in PEM form$/],
    ['of another kind', newKey('ec'), /it is ec, not ed25519$/],
  ]
  for (const [what, pem, problem] of bad) {
    test(`is refused when it is ${what}`, async () => {
      const result = await run(['start', '--memory', '--port', '0'], { TALLYSTICK_PARTICIPANT_KEY: pem })
      assertOneLine(result, 1, problem)
      for (const line of pem.split('\n')) assert.ok(line === '' || !result.errors.includes(line))
    })
  }

  test('is masked when settings are printed', async () => {
    const environment = { TALLYSTICK_PARTICIPANT_KEY: 's3cret-1', TALLYSTICK_PARTICIPANT_KEY_PASSPHRASE: 's3cret-2' }
    assert.doesNotMatch((await runHere(['config'], environment)).output, /s3cret/)
    const { output } = await runHere(['config', '--json'], environment)
    assert.doesNotMatch(output, /s3cret/)
    assert.deepEqual(JSON.parse(output).participant, { name: 'participant', key: '***', keyPassphrase: '***' })
  })

  test('moves from a SQLite ledger to a file, and no byte of it stays behind', async () => {
    using place = temporaryFolder()
    const data = join(place.path, 'ledger')
    const args = ['--data', data, '--auth', 'off']
    const first = await start(args)
    await first.stop('SIGTERM')
    const seed = await seedInside(data)
    assert.throws(() => assertNowhere(seed, data)) // Proves that the search itself works.
    const to = join(place.path, 'participant.pem')
    const moved = await runHere(['key', 'move', '--to', to, '--data', data])
    assert.deepEqual([moved.code, moved.errors], [0, ''])
    assert.match(
      moved.output,
      /^the key of participant::1220[0-9a-f]+ is now in .*participant\.pem: set participant\.keyFile/,
    )
    assertUnsaid(seed, moved)
    assert.deepEqual(seedOf(readFileSync(to, 'utf8')), seed)
    assert.equal(modeOf(to), '600')
    assertNowhere(seed, data)
    assertOneLine(await runHere(['key', 'move', '--to', to, '--data', data]), 1, /it was moved before$/)
    assertOneLine(await run(['start', '--port', '0', ...args]), 1, new RegExp(`^${keyless}$`))
    await using second = await start(args, { TALLYSTICK_PARTICIPANT_KEY_FILE: to })
    assert.equal(participantOf(second.output), participantOf(first.output))
  })

  test('moves from PostgreSQL', async () => {
    using place = temporaryFolder()
    await using database = await createTestDatabase()
    const args = ['--postgres', database.url, '--auth', 'off']
    const first = await start(args)
    await first.stop('SIGTERM')
    const to = join(place.path, 'participant.pem')
    const moved = await runHere(['key', 'move', '--to', to, '--postgres', database.url])
    assert.deepEqual([moved.code, moved.errors], [0, ''])
    assertOneLine(await run(['start', '--port', '0', ...args]), 1, new RegExp(`^${keyless}$`))
    await using second = await start(args, { TALLYSTICK_PARTICIPANT_KEY_FILE: to })
    assert.equal(participantOf(second.output), participantOf(first.output))
  })

  test('never overwrites a file, and resumes after an interrupted move', async () => {
    using place = temporaryFolder()
    const data = join(place.path, 'ledger')
    const args = ['--data', data, '--auth', 'off']
    await (await start(args)).stop('SIGTERM')
    const foreign = join(place.path, 'foreign.pem')
    const pem = newKey()
    writeFileSync(foreign, pem, { mode: 0o600 })
    const refused = await runHere(['key', 'move', '--to', foreign, '--data', data])
    assertOneLine(refused, 1, /^the key has the fingerprint 1220/)
    assert.equal(readFileSync(foreign, 'utf8'), pem)
    const written = join(place.path, 'written.pem')
    writeFileSync(written, pemOf(await seedInside(data)), { mode: 0o600 })
    assert.equal((await runHere(['key', 'move', '--to', written, '--data', data])).code, 0)
  })

  const wrong: [args: string[], code: number, message: RegExp][] = [
    [['key', 'move'], 2, /^--to is missing; usage: tallystick key move --to FILE/],
    [['key'], 2, /^key is not complete: try tallystick key move$/],
  ]
  for (const [args, code, message] of wrong) {
    test(`refuses ${args.join(' ')}`, async () => assertOneLine(await runHere(args), code, message))
  }

  test('is not moved from a folder without a ledger', async () => {
    using place = temporaryFolder()
    const result = await runHere(['key', 'move', '--to', join(place.path, 'k'), '--data', join(place.path, 'typo')])
    assertOneLine(result, 1, /^there is no ledger in .*typo; /)
    assert.deepEqual(readdirSync(place.path), [])
  })
})

function participantOf(output: string): string {
  return /participant +(\S+)/.exec(output)![1]!
}

function newKey(kind: 'ed25519' | 'ec' = 'ed25519'): string {
  const { privateKey } = kind === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync(kind)
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

const seedBytes = 32

function seedOf(pem: string): Buffer {
  return createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }).subarray(-seedBytes)
}

function pemOf(seed: Uint8Array): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type: 'pkcs8', format: 'pem' }) as string
}

async function seedInside(folder: string): Promise<Buffer> {
  await using database = openSqliteForReading(folder)
  const [row] = await database.query("SELECT value FROM node WHERE name = 'participant-key'")
  return Buffer.from(row!.value as Uint8Array)
}

/** No file in the folder contains it, not even in deleted space. */
function assertNowhere(seed: Buffer, folder: string): void {
  for (const file of filesIn(folder)) assert.ok(!readFileSync(file).includes(seed), `${file} has the key`)
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

function assertUnsaid(seed: Buffer, { output, errors }: { readonly output: string; readonly errors: string }): void {
  for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const) {
    const text = seed.toString(encoding)
    assert.ok(!output.includes(text) && !errors.includes(text))
  }
}
