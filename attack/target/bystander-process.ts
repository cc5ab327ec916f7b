// Another user's client: sends small requests often and records how long each answer takes. An echo server runs beside
// it: when that is slow at the same moment, the machine is the cause, not the node.
import { Agent, request } from 'node:http'
import { type Account, createWallet } from './account.ts'

export type Sample = {
  readonly operation: string
  readonly method: string
  readonly atMs: number
  readonly tookMs: number
  readonly status: number
}
export type Watching = { readonly url: string; readonly echoUrl: string; readonly account: Account }
export type Watched = { readonly samples: readonly Sample[]; readonly echoes: readonly Sample[] }

const everyMs = 20
const submitEvery = 3
const openMax = 100
/** The first requests run cold code everywhere. */
const warmSubmissions = 10

const agent = new Agent({ keepAlive: true, maxSockets: openMax })
const samples: Sample[] = []
const echoes: Sample[] = []
const open = new Set<Promise<void>>()
let count = 0
let submitted = 0
let warmMs: number | undefined

process.on('message', (message: Watching | 'stop') => {
  if (message === 'stop') void stop()
  else watch(message)
})
process.on('disconnect', () => process.exit())

let timer: NodeJS.Timeout | undefined

function watch({ url, echoUrl, account }: Watching): void {
  const authorization = `Bearer ${account.token}`
  timer = setInterval(() => {
    if (open.size >= openMax) return
    count += 1
    const method = count % submitEvery === 0 ? 'POST' : 'GET'
    note(ask('echo', echoUrl, method, authorization), echoes)
    if (method === 'GET') {
      const isLiveness = count % submitEvery === 1
      const asked = isLiveness
        ? ask('liveness', `${url}/livez`, 'GET', undefined)
        : ask('ledger end', `${url}/v2/state/ledger-end`, 'GET', authorization)
      note(asked, samples)
      return
    }
    const body = JSON.stringify(createWallet(account, `bystander-${process.pid}-${count}`))
    note(ask('submit and wait', `${url}/v2/commands/submit-and-wait`, 'POST', authorization, body), samples)
  }, everyMs)
}

function note(asked: Promise<Sample>, to: Sample[]): void {
  const noted = asked.then((sample) => {
    to.push(sample)
    if (sample.operation === 'submit and wait' && warmMs === undefined && ++submitted === warmSubmissions) {
      warmMs = performance.now()
      process.send!('warm')
    }
  })
  open.add(noted)
  void noted.then(() => open.delete(noted))
}

function ask(
  operation: string,
  url: string,
  method: string,
  authorization: string | undefined,
  body?: string,
): Promise<Sample> {
  const atMs = performance.now()
  const { promise, resolve } = Promise.withResolvers<Sample>()
  const end = (status: number) => resolve({ operation, method, atMs, tookMs: performance.now() - atMs, status })
  const asked = request(
    url,
    { method, agent, headers: authorization === undefined ? {} : { authorization } },
    (response) => {
      response.resume()
      response.on('end', () => end(response.statusCode!))
      response.on('error', () => end(0))
    },
  )
  asked.on('error', () => end(0))
  asked.end(body)
  return promise
}

async function stop(): Promise<void> {
  clearInterval(timer)
  await Promise.all(open)
  const warm = samples.filter(({ atMs }) => atMs >= warmMs!)
  process.send!({ samples: warm, echoes } satisfies Watched)
}
