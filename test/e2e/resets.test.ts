// A node that is reset again and again does not grow: neither in memory nor in files, threads or timers.
import { test } from 'node:test'
import { checkGrowth, resetAgainAndAgain } from '../fixtures/resets.ts'

const times = Number(process.env.TALLYSTICK_RESETS ?? 40)

test(`${times} resets in memory and on SQLite leave nothing behind`, async (context) => {
  const { before, after } = await resetAgainAndAgain(['memory', 'sqlite'], times)
  context.diagnostic(JSON.stringify({ before, after }))
  checkGrowth(before, after)
})
