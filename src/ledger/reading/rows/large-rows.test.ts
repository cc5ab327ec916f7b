import { describe } from 'node:test'
import { needsPostgres } from '../../../../test/fixtures/postgres.ts'
import { openMemoryStore, openPostgresStore } from '../../../../test/fixtures/stores.ts'
import { largeRowsContract } from './large-rows.contract.ts'

largeRowsContract('SQLite', openMemoryStore)
describe('on PostgreSQL', needsPostgres, () => largeRowsContract('PostgreSQL', openPostgresStore))
