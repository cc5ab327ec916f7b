import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCaches, createMetrics } from './metrics.ts'

test('counters, histograms and gauges render as Prometheus text', async () => {
  const metrics = createMetrics()
  const requests = metrics.counter('requests_total', 'Requests', ['operation', 'status'])
  requests.with('GET /x', '200').add()
  requests.with('GET /x', '200').add(2)
  requests.with('a "b"\\\n', '500').add()
  metrics.counter('bare_total', 'No labels')
  const durations = metrics.histogram('seconds', 'Durations', [1, 2.5])
  for (const value of [0.5, 1, 2, 9]) durations.with().observe(value)
  metrics.gauge('size', 'Size', async () => 7)
  metrics.gauge('away', 'Not known', () => undefined)
  metrics.gauge('parts', 'Parts', () => [[['x'], 1]], ['part'])
  assert.equal(
    await metrics.page(),
    `# HELP requests_total Requests
# TYPE requests_total counter
requests_total{operation="GET /x",status="200"} 3
requests_total{operation="a \\"b\\"\\\\\\n",status="500"} 1
# HELP bare_total No labels
# TYPE bare_total counter
bare_total 0
# HELP seconds Durations
# TYPE seconds histogram
seconds_bucket{le="1"} 2
seconds_bucket{le="2.5"} 3
seconds_bucket{le="+Inf"} 4
seconds_sum 12.5
seconds_count 4
# HELP size Size
# TYPE size gauge
size 7
# HELP away Not known
# TYPE away gauge
# HELP parts Parts
# TYPE parts gauge
parts{part="x"} 1
`,
  )
})

test('caches are labelled by name, and report bytes if they know them', async () => {
  const metrics = createMetrics()
  const caches = createCaches(metrics)
  const one = caches.counting('one')({ entries: () => 3, bytes: () => 30 })
  caches.counting('other')({ entries: () => 1 })
  one.hits += 2
  one.misses += 1
  const page = await metrics.page()
  assert.match(page, /^tallystick_cache_hits_total\{cache="one"\} 2$/m)
  assert.match(page, /^tallystick_cache_misses_total\{cache="one"\} 1$/m)
  assert.match(page, /^tallystick_cache_entries\{cache="other"\} 1$/m)
  assert.match(page, /^tallystick_cache_bytes\{cache="one"\} 30$/m)
  assert.doesNotMatch(page, /tallystick_cache_bytes\{cache="other"\}/)
})
