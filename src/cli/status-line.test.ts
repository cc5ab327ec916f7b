import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStatusLine } from './status-line.ts'

function terminal(isTTY: boolean, columns = 20) {
  const written: string[] = []
  return { written, isTTY, columns, write: (text: string) => written.push(text) }
}

test('a line replaces the one before, fits the terminal, and is removed', () => {
  const screen = terminal(true)
  const line = createStatusLine(screen, false)
  line.show('')
  line.show('1 of 2')
  line.show('2 of 2, and much more to say')
  line.show('')
  line.show('')
  assert.deepEqual(screen.written, ['\r1 of 2\u001b[K', '\r2 of 2, and much mo\u001b[K', '\r\u001b[K'])
})

test('nothing is shown in CI, or where nobody watches', () => {
  for (const [isTTY, isCi] of [
    [false, false],
    [true, true],
  ] as const) {
    const screen = terminal(isTTY)
    createStatusLine(screen, isCi).show('1 of 2')
    assert.deepEqual(screen.written, [])
  }
})
