import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTerminalLog } from './terminal-log.ts'

const now = () => new Date(2030, 0, 2, 3, 4, 5)

function written(hasColors: boolean | undefined, write: (log: ReturnType<typeof createTerminalLog>) => void): string {
  let text = ''
  const terminal = {
    write: (part: string) => {
      text += part
    },
  }
  write(
    createTerminalLog('debug', hasColors === undefined ? terminal : { ...terminal, hasColors: () => hasColors }, now),
  )
  return text
}

describe('a log for people', () => {
  test('has one line per request', () => {
    const fields = { operation: 'GET /v2/users', status: 200, durationMs: 1.2345 }
    assert.equal(
      written(undefined, (log) => log.debug(fields, 'request')),
      '03:04:05 debug request GET /v2/users 200 1.2 ms\n',
    )
  })

  test('names all other fields, quotes texts with spaces, and omits undefined values', () => {
    const fields = { reason: 'no such user', code: 'USER_NOT_FOUND', count: 3, list: ['a'], user: undefined }
    assert.equal(
      written(undefined, (log) => log.info(fields, 'request refused')),
      '03:04:05 info  request refused reason="no such user" code=USER_NOT_FOUND count=3 list=["a"]\n',
    )
  })

  test('has colours only on a terminal that supports them', () => {
    const controls = String.fromCharCode(27)
    assert.ok(written(true, (log) => log.warn({ a: 1 }, 'x')).includes(`${controls}[33mwarn `))
    assert.ok(!written(false, (log) => log.warn({ a: 1 }, 'x')).includes(controls))
  })

  test('shows a stack below the line', () => {
    const text = written(undefined, (log) => log.error({ stack: 'Error: x\n  at y' }, 'a request failed'))
    assert.equal(text, '03:04:05 error a request failed\nError: x\n    at y\n')
  })

  test('lets no text move the cursor or begin a line', () => {
    const fields = { reason: `a\u001b[2Jb\n\u202ec`, operation: 'GET\r/x' }
    const text = written(undefined, (log) => log.info(fields, 'request\u0007'))
    assert.doesNotMatch(text.slice(0, -1), /[\p{Cc}\p{Cf}]/u)
  })

  test('omits entries below its level', () => {
    let text = ''
    const log = createTerminalLog('warn', { write: (part) => (text += part) }, now)
    log.debug({}, 'x')
    log.info({}, 'x')
    assert.deepEqual([text, log.isDebug], ['', false])
  })
})
