// The commands of a node: how many succeeded and were refused, why, and the last minutes as charts. From the node's metrics,
// which may be switched off or kept from this reader: then there is nothing of it.
import { signal } from '@preact/signals'
import { get, send } from '../api/client.ts'
import { type Moment, momentFrom, type Rates, ratesBetween, samplesIn } from '../api/metrics.ts'
import { Chart } from '../parts/chart.tsx'
import { Facts } from '../parts/facts.tsx'
import { Link } from '../parts/link.tsx'
import { bytesText, numberText } from '../parts/quantities.ts'
import { useLive, useRegularReads } from '../state/live-reads.ts'
import { session } from '../state/session.ts'
import { timeText } from '../state/time-zone.ts'
import type { Rejection } from './refusals.tsx'

const pauseMs = 1_000
const keptMs = 180_000

type History = { readonly last: Moment; readonly rates: readonly (Rates & { readonly atMs: number })[] }

/** Kept when somebody goes to another page and back. */
const history = signal<History | undefined>(undefined)
export const commandCounts = (): Moment | undefined => history.value?.last

/** As long as the page is open. */
export function useCommandHistory(): void {
  useRegularReads((signal) => readMoment(signal).catch(() => undefined), pauseMs, [])
}

async function readMoment(signal: AbortSignal): Promise<void> {
  const text = await (await send('GET', '/metrics', { signal })).text()
  const now = momentFrom(samplesIn(text), Date.now())
  const before = history.peek()
  const rates = before === undefined ? [] : [...before.rates, { ...ratesBetween(before.last, now), atMs: now.atMs }]
  history.value = { last: now, rates: rates.filter(({ atMs }) => now.atMs - atMs <= keptMs) }
}

const timeOf = (atMs: number) => timeText(new Date(atMs).toISOString())!.time.slice(0, 8)

export function CommandCharts() {
  const rates = history.value?.rates ?? []
  const points = (name: keyof Rates) => rates.map((rate) => ({ atMs: rate.atMs, value: rate[name] }))
  const common = { format: numberText, timeOf }
  return (
    <div class="tiles">
      <Chart label="Commands" unit="per second" points={points('accepted')} {...common} />
      <Chart label="Latency" unit="ms" points={points('latencyMs')} {...common} />
      <Chart label="Refusals" unit="per second" points={points('refused')} {...common} />
    </div>
  )
}

const causesShown = 6

/** Why commands were refused since the node was started, most frequent first. */
export function Causes() {
  const causes = [...(history.value?.last.causes ?? [])].sort(([, one], [, other]) => other - one)
  const { isDevelopment, isAdmin } = session.value
  const isRemembered = isDevelopment && isAdmin
  const { value: newest } = useLive(
    async (signal) => (isRemembered && causes.length > 0 ? newestCauses(signal) : undefined),
    [isRemembered, causes.length > 0],
    history.value?.last.refused,
  ).value
  if (causes.length === 0) return null
  const most = causes[0]![1]
  const shown = causes.slice(0, causesShown)
  return (
    <section class="panel" aria-labelledby="causes">
      <div class="panel-head">
        <h2 id="causes">Why commands were refused</h2>
        {isRemembered && <Link to="/refusals">All refusals</Link>}
      </div>
      <ul class="panel-body causes">
        {shown.map(([code, count]) => (
          <li key={code}>
            {isRemembered ? (
              <Link to={`/refusals?${new URLSearchParams({ code })}`} class="mono">
                {code}
              </Link>
            ) : (
              <span class="mono">{code}</span>
            )}
            <span class="faint cause" title={newest?.get(code)}>
              {newest?.get(code)}
            </span>
            <meter min={0} max={most} value={count} aria-label={`${code}, share`} />
            <span class="number">{count.toLocaleString('en-GB')}</span>
          </li>
        ))}
        {causes.length > shown.length && <li class="faint">and {causes.length - shown.length} more codes</li>}
      </ul>
    </section>
  )
}

/** What the last refusal with each code said, without the words that all failures of Daml begin with. */
async function newestCauses(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const all = await get<Rejection[]>('/dev/rejections', { signal })
  return new Map(
    all.map(({ code, cause }) => [code, cause.replace(/^Interpretation error: Error: (User failure: )?/, '')]),
  )
}

export function NodeFacts() {
  const last = history.value?.last
  if (last === undefined) return null
  return (
    <section class="panel" aria-labelledby="node">
      <div class="panel-head">
        <h2 id="node">The node</h2>
      </div>
      <div class="panel-body">
        <Facts
          isSpread
          facts={[
            ['Memory', bytesText(last.memoryBytes)],
            ['Store', bytesText(last.storeBytes)],
            ['Open streams', numberText(last.streams)],
          ]}
        />
      </div>
    </section>
  )
}
