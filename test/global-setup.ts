// Runs once around all tests: node --test --test-global-setup=test/global-setup.ts
import { rememberPostgres, startPostgres } from './fixtures/postgres.ts'

let server: Awaited<ReturnType<typeof startPostgres>> | undefined

export async function globalSetup(): Promise<void> {
  // Its databases end with the run, so it need not flush them: that takes a large part of the time on a slow disk.
  server = await startPostgres({ flushes: false })
  rememberPostgres(server.url)
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
