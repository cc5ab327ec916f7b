// A node that is reset again and again does not grow: neither in memory nor in files, threads or timers.
import { test } from 'node:test'
import { checkGrowth, resetAgainAndAgain } from '../fixtures/resets.ts'

const times = Number(process.env.TALLYSTICK_RESETS ?? 12)

for (const store of ['memory', 'sqlite'] as const) {
  test(`${times} resets on ${store} leave nothing behind`, async (context) => {
    const { before, after } = await resetAgainAndAgain(store, times)
    context.diagnostic(JSON.stringify({ before, after }))
    checkGrowth(before, after)
  })
}
