// A bare Node HTTP server that parses each body as JSON and answers {}.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString()
    if (text !== '') JSON.parse(text)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}')
  })
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
