// Runs once around all tests: node --test --test-global-setup=test/global-setup.ts
import { rememberPostgres, startPostgres } from './fixtures/postgres.ts'

let server: Awaited<ReturnType<typeof startPostgres>> | undefined

export async function globalSetup(): Promise<void> {
  server = await startPostgres()
  rememberPostgres(server.url)
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
