import { openMemoryStore, openPostgresStore } from '../../../../test/fixtures/stores.ts'
import { largeRowsContract } from './large-rows.contract.ts'

largeRowsContract('SQLite', openMemoryStore)
if (process.env.TEST_POSTGRES_URL !== undefined) largeRowsContract('PostgreSQL', openPostgresStore)
