// Parties as rows.

import type { Permission } from '../../events/format/stored-update.ts'
import type { HostRecord, PartyRecord, PartyRecords } from '../core/administration-records.ts'
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'
import { pageRows } from '../core/page-rows.ts'

const columns = 'party, is_local, identity_provider_id, resource_version, annotations, checksum'

export function partyRecords({ query, insert }: Queries, onDamage: OnDamage): PartyRecords {
  const partyFrom = (row: Row) => partyFromRow(row, onDamage)
  return {
    async synchronizersOf(party) {
      const sql = 'SELECT party, synchronizer, checksum FROM party_synchronizers WHERE party = $1 ORDER BY synchronizer'
      const rows = await query(sql, party)
      for (const row of rows) if (!isRowWhole(row)) throw onDamage(`a host of the party ${party}`)
      return rows.map((row) => row.synchronizer as bigint)
    },
    host: (party, synchronizers) =>
      insert(
        'party_synchronizers',
        ['party', 'synchronizer', 'checksum'],
        synchronizers.map((number) => [party, number, valuesChecksum(party, number)]),
      ),
    async hostsOf(party) {
      const rows = await query(
        `SELECT ${hostColumns.join(', ')} FROM party_hosts WHERE party = $1 ORDER BY synchronizer, participant`,
        party,
      )
      for (const row of rows) if (!isRowWhole(row)) throw onDamage(nameOfHost(row))
      return rows.map(hostFromRow)
    },
    async putHosts(party, hosts) {
      for (const { synchronizer, participant, permission, threshold } of hosts) {
        const values = [party, synchronizer, participant, permission, BigInt(threshold)]
        await query(
          `INSERT INTO party_hosts (${hostColumns.join(', ')}) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (party, synchronizer, participant)
            DO UPDATE SET permission = excluded.permission, threshold = excluded.threshold,
              checksum = excluded.checksum`,
          ...[...values, valuesChecksum(...values)],
        )
      }
    },
    async get(party) {
      const [row] = await query(`SELECT ${columns} FROM parties WHERE party = $1`, party)
      return row && partyFrom(row)
    },
    async list(prefix, page) {
      // A range instead of LIKE: it uses the index, and no character of the prefix is a wildcard.
      const from = 'FROM parties WHERE party > $1 AND party >= $2 AND party < $3 ORDER BY party'
      const values = [page.after, prefix, `${prefix}\u{10ffff}`]
      const { rows, isCut } = await pageRows({ query }, { columns, large: 'annotations', from, values }, page)
      return { records: rows.map(partyFrom), isCut }
    },
    async count(identityProviderId) {
      const [row] = await query('SELECT count(*) AS n FROM parties WHERE identity_provider_id = $1', identityProviderId)
      return row!.n as bigint
    },
    async insert(party) {
      await query(`INSERT INTO parties (${columns}) VALUES ($1, $2, $3, $4, $5, $6)`, ...valuesOf(party))
    },
    async update(party) {
      await query(
        `UPDATE parties SET is_local = $2, identity_provider_id = $3, resource_version = $4, annotations = $5,
          checksum = $6
          WHERE party = $1`,
        ...valuesOf(party),
      )
    },
  }
}

const hostColumns = ['party', 'synchronizer', 'participant', 'permission', 'threshold', 'checksum']

export const nameOfHost = ({ party, participant }: Row) => `the host ${participant} of the party ${party}`

function hostFromRow({ synchronizer, participant, permission, threshold }: Row): HostRecord {
  return {
    synchronizer: synchronizer as bigint,
    participant: participant as string,
    permission: permission as Permission,
    threshold: Number(threshold),
  }
}

function valuesOf(party: PartyRecord) {
  const values = [
    party.party,
    party.isLocal ? 1n : 0n,
    party.identityProviderId,
    party.resourceVersion,
    JSON.stringify(party.annotations),
  ]
  return [...values, valuesChecksum(...values)]
}

function partyFromRow(row: Row, onDamage: OnDamage): PartyRecord {
  if (!isRowWhole(row)) throw onDamage(`the party ${row.party}`)
  return {
    party: row.party as string,
    isLocal: row.is_local === 1n,
    identityProviderId: row.identity_provider_id as string,
    resourceVersion: row.resource_version as bigint,
    annotations: JSON.parse(row.annotations as string),
  }
}
