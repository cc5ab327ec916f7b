import { describe } from 'node:test'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openPostgresDatabase } from '../../../test/fixtures/stores.ts'
import { migrate } from '../../store/schema/migrate.ts'
import { openSqliteInMemory } from '../../store/sqlite/sqlite.ts'
import { prunedRowsContract } from './pruned-rows.contract.ts'

prunedRowsContract('SQLite', async () => {
  const database = openSqliteInMemory()
  await migrate(database)
  return database
})
describe('on PostgreSQL', needsPostgres, () => prunedRowsContract('PostgreSQL', openPostgresDatabase))
