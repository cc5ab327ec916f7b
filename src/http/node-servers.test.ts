import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { testSettings } from '../../test/fixtures/node.ts'
import { createStrangers } from '../api/strangers.ts'
import { wallClock } from '../base/clock.ts'
import { createListener } from './node-servers.ts'

const settings = testSettings({ http: { port: 0 } })

test('a listener that closes ends a kept-alive connection after the answer that is under way', async () => {
  const answering = Promise.withResolvers<ServerResponse>()
  const handlers = {
    isUpgrade: () => false,
    mayTakeLonger: () => false,
    upgrade: () => undefined,
    request: (_: IncomingMessage, response: ServerResponse) => {
      response.write('a line\n')
      answering.resolve(response)
    },
  }
  const listener = createListener(settings, handlers, createStrangers(settings.limits, wallClock, 1))
  const url = await listener.listen()
  const agent = new Agent({ keepAlive: true })
  const request = get(url, { agent })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const closed = listener.close()
  const lines = answer.toArray()
  ;(await answering.promise).end('the last\n')
  assert.equal((await lines).join(''), 'a line\nthe last\n')
  await closed
  agent.destroy()
})
