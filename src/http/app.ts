// The Fastify instance underneath: limits, TLS, CORS, and what goes wrong below the routes.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { StartError } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'
import type { BodyReader } from './body-reader.ts'

const connectionsCheckingInterval = 1_000

/** `isUpgrade` tells which requests the listener for upgrades gets; all others are plain requests, whatever they offer. */
export async function createApp(
  { http, limits }: Settings,
  bodies: BodyReader,
  isUpgrade: (request: IncomingMessage) => boolean,
): Promise<FastifyInstance> {
  const serverOptions = {
    maxHeaderSize: limits.headerBytesMax,
    shouldUpgradeCallback: isUpgrade,
    // Said here, too, because only here it bounds the time for headers as well.
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval, // How late a request is found to be too slow: by default half a minute.
  }
  const app = fastify({
    logger: false,
    requestTimeout: limits.requestTimeoutMs,
    routerOptions: { ignoreDuplicateSlashes: true, maxParamLength: limits.headerBytesMax },
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors(error: Error, _request: FastifyRequest, reply: FastifyReply) {
      reply.code(400).type('text/plain; charset=UTF-8').send(error.message)
    },
    // Clients send JSON with no Content-Type, a wrong one, or one without a body: the route decides, not the header.
    rewriteUrl({ headers, url = '/' }) {
      delete headers['content-type']
      return url
    },
    ...(http.tls === undefined ? { http: serverOptions } : { https: { ...readTls(http.tls), ...serverOptions } }),
  } as FastifyServerOptions)
  app.server.maxConnections = limits.connectionsMax

  for (const method of ['GET', 'HEAD']) {
    app.addHttpMethod(method, { hasBody: true, overrideExisting: true }) // Some operations have one, for older clients.
  }
  // Whatever method Node knows goes to a route or is answered 405. Imported by name, node:http would load all of fetch.
  for (const method of process.getBuiltinModule('node:http').METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true }) // With a body Fastify wants a Content-Type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    request.is404 ? bodies.discard(payload) : bodies.read(request, payload),
  )

  if (http.corsOrigins.length > 0) {
    const { default: cors } = await import('@fastify/cors')
    const origin = http.corsOrigins.includes('*') ? true : http.corsOrigins
    await app.register(cors, {
      origin,
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      maxAge: 600,
      strictPreflight: false,
    })
  }
  return app
}

/** Routes are given no schemas that Fastify would compile; the compilers it would load for them are large. */
function unused(): never {
  throw new Error('schemas are checked in wire/decode.ts')
}

export async function listen(app: FastifyInstance, { http: { host, port } }: Settings): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw new StartError(listenProblems[code ?? '']?.(host, port) ?? `cannot listen on ${host}:${port}: ${message}`)
  }
}

const listenProblems: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `port ${port} on ${host} is taken; stop what uses it, or choose another with --port`,
  EACCES: (host, port) => `port ${port} on ${host} is not for this account; choose another with --port`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}; choose another with --host`,
  ENOTFOUND: (host) => `this machine has no address ${host}; choose another with --host`,
}

const clientErrors: Readonly<Record<string, [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** A request with a method that nobody ever heard of. */
const unknownMethod = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+ \S+ HTTP\/1\.[01]\r\n/

/** What is not HTTP at all is answered straight on the socket. */
function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  const isMethod = error.code === 'HPE_INVALID_METHOD' && unknownMethod.test(String(error.rawPacket ?? ''))
  const [status, words] = isMethod
    ? ([501, 'Not Implemented'] as const)
    : (clientErrors[error.code ?? ''] ?? ([400, 'Bad Request'] as const))
  const head = `HTTP/1.1 ${status} ${words}\r\nContent-Type: text/plain\r\nContent-Length: ${words.length}`
  if (socket.writable) socket.end(`${head}\r\nConnection: close\r\n\r\n${words}`)
  else socket.destroy(error)
}

function readTls({ certificateFile, keyFile }: { certificateFile: string; keyFile: string }) {
  try {
    const files = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) }
    createSecureContext(files) // Says now what would otherwise fail with the first connection.
    return files
  } catch (error) {
    throw new StartError(`cannot use ${certificateFile} and ${keyFile} for TLS: ${(error as Error).message}`)
  }
}
