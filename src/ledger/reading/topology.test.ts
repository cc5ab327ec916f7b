import { describe } from 'node:test'
import { needsPostgres } from '../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../test/fixtures/stores.ts'
import { topologyContract } from './topology.contract.ts'

topologyContract('SQLite', openMemoryStore)
describe('on PostgreSQL', needsPostgres, () => topologyContract('PostgreSQL', openPostgresStore))
