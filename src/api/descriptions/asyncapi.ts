// The AsyncAPI document of the WebSockets, built from the streaming routes. Channels, operations and messages have the
// names of Canton's document, because clients are generated from it.
import type { TSchema } from 'typebox'
import { requirements } from '../../auth/authorization.ts'
import { operationOf, type Route } from '../route.ts'
import { trackedCantonVersion } from '../routes/version.ts'
import { subprotocol } from '../stream-route.ts'
import { type Components, component, createComponents, errorReference, type Json } from './schema-components.ts'

const limitsOfStreams =
  'The first message is the request; later ones are ignored. Every element is one message. An error is a last message, ' +
  'JsCantonError. A complete stream is closed with 1000; a stopping node closes with 1001.'

export function asyncApiDocument(routes: readonly Route[], ownVersion: string): Json {
  const components = createComponents('asyncapi')
  const messages: Record<string, Json> = {}
  const channels: Record<string, Json> = {}
  const streams = routes.flatMap(({ streaming, ...route }) => (streaming ? [{ ...route, streaming }] : []))
  for (const route of streams) channels[route.path] = channel(route, route.streaming.element, components, messages)
  return {
    asyncapi: '2.6.0',
    info: {
      title: 'JSON Ledger API WebSocket endpoints',
      version: trackedCantonVersion,
      description: `Tallystick ${ownVersion}: a ledger participant over HTTP. ${limitsOfStreams}`,
    },
    channels,
    components: {
      schemas: components.schemas,
      messages,
      securitySchemes: {
        httpAuth: { type: 'http', description: 'The token: a JWT', scheme: 'bearer' },
        httpApiKeyAuth: {
          type: 'httpApiKey',
          in: 'header',
          name: 'Sec-WebSocket-Protocol',
          description: `The token for clients that cannot set Authorization: jwt.token.<JWT>, together with ${subprotocol}`,
        },
      },
    },
  }
}

function channel(route: Route, elementSchema: TSchema, components: Components, messages: Record<string, Json>): Json {
  const request = component(route.body as TSchema, components)
  const element = component(elementSchema, components)
  const name = nameOf(element)
  const answer = `Either_JsCantonError_${name}`
  components.schemas[answer] = {
    title: answer,
    description: 'An element, or the error that ended the stream',
    // Canton's document says oneOf. An error also matches the element's schema, because that requires no field.
    anyOf: [element, errorReference],
  }
  const operationId = operationIdOf(route.path)
  return {
    description: `${route.summary}. Needs: ${requirements[operationOf(route)]!.words}.`,
    subscribe: {
      operationId: `on${operationId}`,
      message: message(answer, { $ref: `#/components/schemas/${answer}` }, messages),
    },
    publish: { operationId: `send${operationId}`, message: message(nameOf(request), request, messages) },
    bindings: { ws: { method: 'GET' } },
  }
}

function message(name: string, payload: Json, messages: Record<string, Json>): Json {
  messages[name] ??= { name, contentType: 'application/json', payload }
  return { $ref: `#/components/messages/${name}` }
}

function nameOf({ $ref }: Json): string {
  return ($ref as string).split('/').at(-1)!
}

/** /v2/state/active-contracts is V2StateActive-contracts. */
function operationIdOf(path: string): string {
  return path
    .split('/')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
}
