// A bare Fastify route that returns the bytes it is given.
import fastify from 'fastify'

const body = process.argv[2] ?? '{}'
const app = fastify()
app.get('/v2/users/:id', (_request, reply) => reply.header('content-type', 'application/json').send(body))
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
