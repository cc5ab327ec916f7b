// A minimal server for comparison. Like a command, a POST goes through a thread and back twice and to a file once. If
// it is slower than usual, the machine is the cause.
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

const thread = new Worker(
  `require('node:worker_threads').parentPort.on('message', function (x) { this.postMessage(x) })`,
  {
    eval: true,
  },
)
const waiting = new Map<number, () => void>()
thread.on('message', (number: number) => waiting.get(number)?.())
let last = 0

function throughThread(): Promise<void> {
  const number = ++last
  return new Promise((resolve) => {
    waiting.set(number, () => {
      waiting.delete(number)
      resolve()
    })
    thread.postMessage(number)
  })
}

const file = await open(join(process.argv[2] ?? tmpdir(), 'echo'), 'w')

const server = createServer(async (request, response) => {
  request.resume()
  if (request.method === 'POST') {
    await throughThread()
    await throughThread()
    await file.write('x')
    await file.datasync()
  }
  response.end('{"offset":0}')
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit())
