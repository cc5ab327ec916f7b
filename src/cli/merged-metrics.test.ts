import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../base/metrics.ts'
import { mergedMetrics } from './merged-metrics.ts'

test('each family is there once, with the samples of all processes', async () => {
  const page = async (requests: number) => {
    const metrics = createMetrics()
    metrics.counter('requests_total', 'Requests, by kind', ['kind']).with('a b').add(requests)
    metrics.gauge('open', 'Open ones', () => requests + 1)
    metrics.histogram('seconds', 'Time', [1]).with().observe(0.5)
    return metrics.page()
  }
  assert.equal(
    mergedMetrics(
      new Map([
        [1, await page(3)],
        [2, await page(5)],
      ]),
    ),
    `# HELP requests_total Requests, by kind
# TYPE requests_total counter
requests_total{process="1",kind="a b"} 3
requests_total{process="2",kind="a b"} 5
# HELP open Open ones
# TYPE open gauge
open{process="1"} 4
open{process="2"} 6
# HELP seconds Time
# TYPE seconds histogram
seconds_bucket{process="1",le="1"} 1
seconds_bucket{process="1",le="+Inf"} 1
seconds_sum{process="1"} 0.5
seconds_count{process="1"} 1
seconds_bucket{process="2",le="1"} 1
seconds_bucket{process="2",le="+Inf"} 1
seconds_sum{process="2"} 0.5
seconds_count{process="2"} 1
`,
  )
})

test('a family that only one process has is kept', () => {
  assert.equal(
    mergedMetrics(
      new Map([
        [1, '# HELP a x\n# TYPE a gauge\n'],
        [2, '# HELP a x\n# TYPE a gauge\na 1\n# HELP b y\n# TYPE b gauge\nb 2\n'],
      ]),
    ),
    '# HELP a x\n# TYPE a gauge\na{process="2"} 1\n# HELP b y\n# TYPE b gauge\nb{process="2"} 2\n',
  )
})
