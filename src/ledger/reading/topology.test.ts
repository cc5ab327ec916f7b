import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import { topologyContract } from './topology.contract.ts'

topologyContract('SQLite', openMemoryStore)
if (process.env.TEST_POSTGRES_URL !== undefined) topologyContract('PostgreSQL', openPostgresStore)
