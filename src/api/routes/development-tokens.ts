// /dev/tokens: a token with its user and its parties, in one step, on a development node.
import { anyDurationFromText } from '../../base/duration.ts'
import { invalidField } from '../../base/errors.ts'
import { type Route, route } from '../route.ts'
import * as wire from '../wire/development.ts'

const defaultLifetimeMs = 60 * 60 * 1000

export const tokenRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/tokens',
    tag: 'Development',
    summary: 'Make a token: allocates parties that do not exist, and creates a user with just these rights',
    body: wire.issueTokenRequest,
    response: wire.issueTokenResponse,
    async call({ development, users, parties }, { body }, { caller }) {
      const order = { ...body, lifetimeMs: lifetimeFrom(body.lifetime) }
      return development!.tokens.issue(order, { users, parties }, caller)
    },
  }),
]

function lifetimeFrom(text: string): number {
  if (text === '') return defaultLifetimeMs
  if (text === 'unlimited') return Number.POSITIVE_INFINITY
  const ms = anyDurationFromText(text)
  if (ms === undefined) throw invalidField('lifetime', 'it is no time such as 90s, 15m, 1h, 7d, PT1H30M or unlimited')
  return ms
}
