// The dashboard and the alert rules name metrics that nodes have, with labels that they have, and the document tells
// what to do about each alert.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { startTestNode } from './fixtures/node.ts'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}
type Panel = { readonly title: string; readonly type: string; readonly targets?: readonly { readonly expr: string }[] }

const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8'))
const rules: readonly Rule[] = parse(readFileSync('docs/prometheus-alerts.yml', 'utf8')).groups[0].rules
const document = readFileSync('docs/production.md', 'utf8')

/** Names in an expression, also those of histograms, whose series have other names. */
function metricsIn(expression: string): string[] {
  const found = expression.match(/\b(tallystick|process|nodejs)_\w+/g) ?? []
  return found.map((name) => name.replace(/_bucket$/, ''))
}

let known: Set<string>

before(async () => {
  await using node = await startTestNode({ store: 'memory' })
  const { text } = await node.call('GET', '/metrics')
  known = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!))
})

describe('the dashboard', () => {
  test('names only metrics that exist', () => {
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(expressions.length > 20)
    for (const expression of expressions) {
      const named = metricsIn(expression)
      assert.ok(named.length > 0, expression)
      for (const name of named) assert.ok(known.has(name), `${name} in ${expression}`)
    }
  })

  test('shows every queue, and commits, caches and the store', () => {
    const shown = new Set(
      dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))),
    )
    const wanted = [...known].filter((name) =>
      /^tallystick_.*(queue_bytes|queue|waiting|failing|under_way)$/.test(name),
    )
    const others = ['commit_duration_seconds', 'cache_hits_total', 'store_bytes', 'ledger_end_offset', 'open_streams']
    const missing = [...wanted, ...others.map((name) => `tallystick_${name}`)].filter((name) => !shown.has(name))
    assert.deepEqual(missing, [])
  })

  test('has titles that differ', () => {
    const titles = dashboard.panels.map(({ title }) => title)
    assert.equal(new Set(titles).size, titles.length)
  })
})

describe('an alert', () => {
  for (const { alert, expr, labels, annotations } of rules) {
    test(`${alert} is about metrics that exist, and explained in docs/production.md`, () => {
      for (const name of metricsIn(expr)) assert.ok(known.has(name), name)
      assert.match(labels.severity, /^(page|warn)$/)
      assert.match(annotations.summary, /\$labels\.instance/)
      const row = document.split('\n').find((line) => line.startsWith(`| \`${alert}\` |`))
      assert.ok(row, 'it has a row')
      for (const name of metricsIn(expr)) assert.ok(row.includes(`\`${name}\``), `${name} in its row`)
    })
  }
})

test('docs/production.md names only metrics that exist', () => {
  for (const name of metricsIn(document)) assert.ok(known.has(name), name)
})
