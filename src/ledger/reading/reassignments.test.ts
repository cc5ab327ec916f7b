import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import { reassignmentsContract } from './reassignments.contract.ts'

reassignmentsContract('SQLite', openMemoryStore)
if (process.env.TEST_POSTGRES_URL !== undefined) reassignmentsContract('PostgreSQL', openPostgresStore)
