// HTTP client for a running node. Every failure is reported in one line.
import { StartError } from '../base/errors.ts'
import { shownUrl } from '../base/shown-url.ts'

/** A node that does not answer a probe within this time counts as not running. */
const probeMs = 5_000

export type NodeClient = {
  get(path: string): Promise<Response>
  post(path: string, body: unknown): Promise<Response>
  /** The response, whatever its status; undefined if nothing answers. */
  probe(path: string): Promise<Response | undefined>
}

export function createNodeClient(url: string, token: string | undefined): NodeClient {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function ask(path: string, init: RequestInit): Promise<Response> {
    let response: Response
    try {
      response = await fetch(new URL(path, url), { ...init, headers })
    } catch (error) {
      throw new StartError(`cannot reach ${shownUrl(url)}: ${String((error as Error).cause ?? error)}`)
    }
    if (!response.ok) throw new StartError(`the node refused: ${causeIn(await response.text())}`)
    return response
  }

  return {
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) =>
      ask(path, { method: 'POST', body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
    probe: (path) =>
      fetch(new URL(path, url), { headers, signal: AbortSignal.timeout(probeMs) }).catch(() => undefined),
  }
}

function causeIn(text: string): string {
  try {
    return (JSON.parse(text) as { cause: string }).cause
  } catch {
    return text
  }
}
