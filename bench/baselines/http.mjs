// A bare Node HTTP server.
import { createServer } from 'node:http'

const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
