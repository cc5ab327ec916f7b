// /dev/scripts: Daml Scripts of uploaded packages, on a development node.
import type { ScriptRun } from '../../ledger/development/scripts.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import * as wire from '../wire/scripts.ts'

const tag = 'Development'

/** So much earlier than the request, the script ends: there is time to say what it has done. */
const answerMs = 1_000

export const scriptRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/dev/scripts',
    tag,
    summary: 'List the Daml Scripts of uploaded packages',
    response: wire.listScriptsResponse,
    call: async ({ development }) => ({ scripts: [...(await development!.scripts.list())] }),
  }),

  route({
    method: 'POST',
    path: '/dev/scripts',
    tag,
    summary: 'Run a Daml Script of an uploaded package on this ledger; one at a time for each user',
    body: wire.runScriptRequest,
    response: wire.runScriptResponse,
    // A script waits for requests of its own, so it does not count among those that a restore waits for.
    async call({ development, limits }, { body }, _permission, { aside, signal, owner }) {
      const timeOutMs = Math.max(limits.requestTimeoutMs - answerMs, answerMs)
      const order = { ...body, input: body.input, timeOutMs, owner, signal }
      return new RenderedJson(shown(await aside(() => development!.scripts.run(order))))
    },
  }),
]

function shown({ ms, traces, result, failure, transactions }: ScriptRun): string {
  const head = JSON.stringify({
    succeeded: failure === undefined,
    failure: failure ?? [],
    traces,
    transactions,
    milliseconds: ms,
  })
  return `${head.slice(0, -1)},"result":${result ?? 'null'}}`
}
