import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import { patientServer } from '../../test/fixtures/patience.ts'
import type { Log } from '../base/log.ts'
import { bodyOf, createPlainService } from './plain-service.ts'

const logged: [level: string, message: string][] = []
let onLogged: () => void = () => undefined
const at = (level: string) => (_: object, message: string) => {
  logged.push([level, message])
  onLogged()
}
const log = { debug: at('debug'), error: at('error') } as unknown as Log

let server: Server
let port: number

before(async () => {
  const handle = createPlainService(
    {
      headersFor: () => ({ 'access-control-allow-origin': '*' }),
      preflightStatus: 204,
      async answerTo(request) {
        const body = await bodyOf(request, 10)
        if (body === 'fail') throw new Error('broken')
        if (body === 'refuse') throw new RangeError('no')
        return { status: 200, json: { body } }
      },
      refusalOf: (error) => (error instanceof RangeError ? { status: 400, text: error.message } : undefined),
      failure: { status: 500, json: { error: 'unexpected' } },
      name: 'the test',
    },
    log,
  )
  server = createServer(patientServer, handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
after(() => {
  server.close()
  server.closeAllConnections()
})

const cases: readonly [title: string, body: string, status: number, answer: string][] = [
  ['a body is answered', 'é', 200, '{"body":"é"}'],
  ['a body that is too large is refused', 'x'.repeat(11), 413, '{"error":"The body has more than 10 bytes"}'],
  ['a refusal of the service is its answer', 'refuse', 400, 'no'],
  ['an error that nobody expects is not shown', 'fail', 500, '{"error":"unexpected"}'],
]
for (const [title, body, status, answer] of cases) {
  test(title, async () => {
    logged.length = 0
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    assert.deepEqual([response.status, await response.text()], [status, answer])
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.deepEqual(logged, status === 500 ? [['error', 'a request to the test failed']] : [])
  })
}

test('a client that hangs up in the middle of its body is no error of the service', async () => {
  logged.length = 0
  const isLogged = new Promise<void>((resolve) => {
    onLogged = resolve
  })
  const arrived = new Promise((resolve) => server.once('request', resolve))
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\nhalf')
  await arrived
  socket.destroy()
  await isLogged
  assert.deepEqual(logged, [['debug', 'a client of the test left before its request was complete']])
})
