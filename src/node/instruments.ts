// What every part of a node uses: its clock, randomness, log, health, metrics, tracer and the budget of strangers.
import { createStrangers, type Strangers } from '../api/strangers.ts'
import { type Clock, wallClock } from '../base/clock.ts'
import { type DamageReport, reportDamage } from '../base/damage-report.ts'
import { StartError } from '../base/errors.ts'
import { createHealth, type Health } from '../base/health.ts'
import { createLog, type Log } from '../base/log.ts'
import { type Caches, createCaches, createMetrics, type Metrics } from '../base/metrics.ts'
import { createReproducibleRandom, type Random, systemRandom } from '../base/random.ts'
import { isDevelopment, type Settings } from '../base/settings.ts'
import { createTracer, type Tracer } from '../base/tracer.ts'
import type { OtlpExporter } from './otlp-exporter.ts'
import { createProcessMetrics } from './process-metrics.ts'

export type Instruments = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly health: Health
  readonly damage: DamageReport
  readonly metrics: Metrics
  /** What `GET /metrics` answers. */
  readonly metricsPage: () => Promise<string>
  readonly caches: Caches
  readonly strangers: Strangers
  /** Undefined unless traces are exported. */
  readonly tracer: Tracer | undefined
}

type OpenInstruments = {
  readonly instruments: Instruments
  /** Starts collecting the metrics of the process, which are slow to load. */
  readonly measureProcess: () => void
  readonly closeInstruments: () => Promise<void>
}

/** Instruments that replace the usual ones. */
export type InstrumentOverrides = {
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  readonly strangers?: Strangers
  /** From the metrics of this process to those of all. */
  readonly metricsOfAll?: (own: () => Promise<string>) => () => Promise<string>
}

export async function openInstruments(settings: Settings, overrides: InstrumentOverrides): Promise<OpenInstruments> {
  const { clock = wallClock, random = randomFor(settings), log = logFor(settings) } = overrides
  const health = createHealth(clock, log)
  const strangers = overrides.strangers ?? createStrangers(settings.limits, clock)
  const exporter = await openSpanExporter(settings, clock, log)
  const metrics = createMetrics()
  measureHealth(metrics, health)
  measureStrangers(metrics, strangers)
  measureExporter(metrics, exporter)
  const processMetrics = createProcessMetrics()
  const ownMetricsPage = async () => (await metrics.page()) + (await processMetrics.page())
  return {
    instruments: {
      clock,
      random,
      log,
      health,
      damage: reportDamage(health, log),
      metrics,
      metricsPage: overrides.metricsOfAll?.(ownMetricsPage) ?? ownMetricsPage,
      caches: createCaches(metrics),
      strangers,
      tracer: exporter && createTracer({ add: exporter.add, clock, random: systemRandom }),
    },
    measureProcess: processMetrics.start,
    async closeInstruments() {
      processMetrics.close()
      await exporter?.[Symbol.asyncDispose]()
    },
  }
}

export function logFor({ log }: Settings): Log {
  return createLog(log.level, log.format)
}

/** Whoever knows the seed knows the participant's key. */
function randomFor(settings: Settings): Random {
  if (settings.seed === undefined) return systemRandom
  if (!isDevelopment(settings))
    throw new StartError('a seed is for development nodes: it tells the key of the participant')
  return createReproducibleRandom(settings.seed)
}

/** Undefined unless the settings name a collector of traces. */
async function openSpanExporter({ traces }: Settings, clock: Clock, log: Log): Promise<OtlpExporter | undefined> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers, serviceName } = traces
  if (endpoint === undefined) return undefined
  const { openOtlpExporter } = await import('./otlp-exporter.ts')
  return openOtlpExporter({ endpoint, headers, serviceName, clock, log })
}

function measureHealth(metrics: Metrics, health: Health): void {
  metrics.gauge(
    'tallystick_part_failing',
    '1 while a part of the node is failing, by part',
    () => health.parts().map(({ name, state }) => [[name], state === 'failing' ? 1 : 0] as const),
    ['part'],
  )
}

function measureStrangers(metrics: Metrics, { counts }: Strangers): void {
  metrics.gauge(
    'tallystick_strangers_waiting',
    'Requests without an accepted token that wait for their turn',
    () => counts.waiting,
  )
  metrics.total(
    'tallystick_strangers_refused_total',
    'Requests without an accepted token that were refused because too many waited',
    () => counts.refused,
  )
}

function measureExporter(metrics: Metrics, exporter: OtlpExporter | undefined): void {
  metrics.total('tallystick_spans_exported_total', 'Spans sent to the collector', () => exporter?.counts.exported ?? 0)
  metrics.total(
    'tallystick_spans_dropped_total',
    'Spans dropped because the collector was away or slow',
    () => exporter?.counts.dropped ?? 0,
  )
}
