// What the metadata of a call says about its caller.
import type { IncomingHttpHeaders } from 'node:http2'
import { codes, GrpcError } from './status.ts'

/** Other schemes count as no token. */
export function bearerTokenOf({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined || !/^bearer(\s|$)/i.test(authorization)) return undefined
  const token = authorization.slice('bearer'.length).trim()
  if (token === '') throw new GrpcError(codes.unauthenticated, 'the authorization metadata has no token')
  return token
}
