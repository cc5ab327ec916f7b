// /dev/fork: whether the ledger is a fork, on a development node.
import { RenderedJson, type Route, route } from '../route.ts'
import * as wire from '../wire/fork.ts'

export const forkRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/dev/fork',
    tag: 'Development',
    summary: 'Tell which participant the ledger is a fork of, and whether it follows it',
    response: wire.forkResponse,
    call: async ({ development }) => new RenderedJson(JSON.stringify({ fork: (await development!.fork()) ?? null })),
  }),
]
