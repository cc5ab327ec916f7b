// What the reference engine computed, and its effects on ledgers: ours must agree exactly (README.md beside this file).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kind, replay } from './replay.ts'

const recordings = {
  evaluations: ['int64', 'numeric', 'text', 'time', 'crypto', 'collections', 'order', 'failures', 'expressions'],
  submissions: [
    'updates',
    'checks',
    'authorization',
    'rollback',
    'interfaces',
    'keys',
    'hashes',
    'quickstart',
    'commands',
  ],
  ahead: ['quickstart', 'interfaces', 'updates'],
} as const satisfies Record<Kind, readonly string[]>

for (const kind of ['evaluations', 'submissions', 'ahead'] as const) {
  for (const file of recordings[kind]) {
    test(`the engine agrees with the reference: ${kind}, ${file}`, async (context) => {
      const groups = Map.groupBy(await replay(kind, file), ({ group }) => group)
      for (const [group, cases] of groups) {
        await context.test(group, () => {
          for (const { name, actual, expected } of cases) assert.deepEqual(actual, expected, name)
        })
      }
    })
  }
}
