// A bare Fastify route that sends the file it is given from memory.
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const page = readFileSync(process.argv[2])
const app = fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
app.get('/', (_request, reply) => reply.send('ok'))
app.post('/v2/updates/trees', (_request, reply) => reply.header('content-type', 'application/json').send(page))
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
