import { openPostgresDatabase } from '../../../test/fixtures/stores.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { prunedRowsContract } from './pruned-rows.contract.ts'

prunedRowsContract('SQLite', async () => {
  const database = openSqliteInMemory()
  await migrate(database)
  return database
})
if (process.env.TEST_POSTGRES_URL !== undefined) prunedRowsContract('PostgreSQL', openPostgresDatabase)
