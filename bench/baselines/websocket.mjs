// A bare server of the ws package that answers every request with the lines of its file, one message each.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const lines = readFileSync(process.argv[2], 'utf8').trim().split('\n')
const messages = lines.map((line) => Buffer.from(line))
const asText = { binary: false, compress: false }
const server = createServer((_request, response) => response.end('ok'))
const webSockets = new WebSocketServer({ server, perMessageDeflate: false, handleProtocols: () => 'daml.ws.auth' })

webSockets.on('connection', (webSocket) => {
  webSocket.on('message', async () => {
    for (const [index, message] of messages.entries()) {
      webSocket.send(message, asText)
      if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve))
    }
    webSocket.close(1000)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`))
