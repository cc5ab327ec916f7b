// Runs once around all tests: node --test --test-global-setup=test/global-setup.ts
import { rememberPostgres, rememberSchema, startPostgres } from './fixtures/postgres.ts'

let server: Awaited<ReturnType<typeof startPostgres>> | undefined

export async function globalSetup(): Promise<void> {
  // Its databases end with the run, so it need not flush them: that takes a large part of the time on a slow disk.
  server = await startPostgres({ flushes: false })
  rememberPostgres(server.url)
  await rememberSchema(createSchema)
}

async function createSchema(databaseUrl: string): Promise<void> {
  const { openPostgresDatabase } = await import('./fixtures/stores.ts')
  await using _ = await openPostgresDatabase(databaseUrl)
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
