import { openPostgresDatabase } from '../../../test/fixtures/stores.ts'
import { migrate } from '../../store/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite.ts'
import { prunedRowsContract } from './pruned-rows.contract.ts'

prunedRowsContract('SQLite', async () => {
  const database = openSqliteInMemory()
  await migrate(database)
  return database
})
if (process.env.TEST_POSTGRES_URL !== undefined) prunedRowsContract('PostgreSQL', openPostgresDatabase)
