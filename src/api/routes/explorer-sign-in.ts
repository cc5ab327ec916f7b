// /dev/sign-in: how the explorer of a development node gets its token.
import { instantToText } from '../../lf/codec/time-text.ts'
import { RenderedJson } from '../rendered-json.ts'
import { type Route, route } from '../route.ts'
import * as wire from '../wire/explorer-sign-in.ts'

const tag = 'Development'

export const signInRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/sign-in',
    tag,
    summary: 'Exchange the key in a link to the explorer for a token',
    body: wire.signInRequest,
    response: wire.signInResponse,
    async call({ development }, { body: { key } }) {
      return { token: await development!.signIn.exchange(key) }
    },
  }),

  route({
    method: 'POST',
    path: '/dev/sign-in-keys',
    tag,
    summary: 'Make a key for a link to the explorer: /explorer#key=…',
    response: wire.signInKeyResponse,
    async call({ development }) {
      const { key, expiresAtMs } = development!.signIn.key()
      const expiresAt = instantToText(BigInt(Math.floor(expiresAtMs)) * 1000n)
      return new RenderedJson(JSON.stringify({ key, expiresAt }))
    },
  }),
]
