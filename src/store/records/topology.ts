// What requests to host external parties leave for later ones, as rows: certificates of namespaces, and proposals.
import { isRowWhole, type OnDamage, valuesChecksum } from '../core/checksum.ts'
import type { Queries, Row } from '../core/database.ts'
import type { CertificateRecord, ProposalRecord, TopologyRecords } from '../core/ledger-records.ts'

const certificateColumns = 'namespace_id, synchronizer, target, content, checksum'
const proposalColumns = 'party, synchronizer, hash, proposed_by, requests, signers, checksum'

export function topologyRecords({ query }: Queries, onDamage: OnDamage): TopologyRecords {
  return {
    async certificates(synchronizer, namespaces) {
      if (namespaces.length === 0) return []
      const names = namespaces.map((_, index) => `$${index + 2}`).join(', ')
      const rows = await query(
        `SELECT ${certificateColumns} FROM namespace_certificates WHERE synchronizer = $1 AND namespace_id IN (${names})
          ORDER BY namespace_id, target`,
        synchronizer,
        ...namespaces,
      )
      return rows.map((row) => certificateFromRow(row, onDamage))
    },
    async insertCertificate({ namespace, synchronizer, target, content }) {
      const values = [namespace, synchronizer, target, Buffer.from(content).toString('base64')]
      await query(
        `INSERT INTO namespace_certificates (${certificateColumns}) VALUES ($1, $2, $3, $4, $5)`,
        ...values,
        valuesChecksum(...values),
      )
    },
    async proposal(party, synchronizer, hash) {
      const [row] = await query(
        `SELECT ${proposalColumns} FROM party_proposals WHERE party = $1 AND synchronizer = $2 AND hash = $3`,
        party,
        synchronizer,
        hash,
      )
      return row && proposalFromRow(row, onDamage)
    },
    async putProposal({ party, synchronizer, hash, proposedBy, requests, signers }) {
      const values = [party, synchronizer, hash, proposedBy, requests, JSON.stringify(signers)]
      await query(
        `INSERT INTO party_proposals (${proposalColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
          ON CONFLICT (party, synchronizer, hash) DO UPDATE SET proposed_by = excluded.proposed_by,
            requests = excluded.requests, signers = excluded.signers, checksum = excluded.checksum`,
        ...values,
        valuesChecksum(...values),
      )
    },
    async deleteProposals(party, synchronizer) {
      await query('DELETE FROM party_proposals WHERE party = $1 AND synchronizer = $2', party, synchronizer)
    },
    async countProposals(party, synchronizer, proposedBy) {
      const [row] = await query(
        'SELECT count(*) AS n FROM party_proposals WHERE party = $1 AND synchronizer = $2 AND proposed_by = $3',
        party,
        synchronizer,
        proposedBy,
      )
      return row!.n as bigint
    },
    async countRequests(party) {
      const sum = 'CAST(COALESCE(sum(requests), 0) AS BIGINT)' // PostgreSQL adds integers up to another type.
      const [row] = await query(`SELECT ${sum} AS n FROM party_proposals WHERE party = $1`, party)
      return row!.n as bigint
    },
    async proposedParties(proposedBy) {
      const sql = 'SELECT DISTINCT party FROM party_proposals WHERE proposed_by = $1 ORDER BY party'
      return (await query(sql, proposedBy)).map(({ party }) => party as string)
    },
  }
}

export const nameOfCertificate = (row: Row): string => `a certificate of the namespace ${row.namespace_id}`
export const nameOfProposal = (row: Row): string => `a proposal to host the party ${row.party}`

function certificateFromRow(row: Row, onDamage: OnDamage): CertificateRecord {
  if (!isRowWhole(row)) throw onDamage(nameOfCertificate(row))
  return {
    namespace: row.namespace_id as string,
    synchronizer: row.synchronizer as bigint,
    target: row.target as string,
    content: Buffer.from(row.content as string, 'base64'),
  }
}

function proposalFromRow(row: Row, onDamage: OnDamage): ProposalRecord {
  if (!isRowWhole(row)) throw onDamage(nameOfProposal(row))
  return {
    party: row.party as string,
    synchronizer: row.synchronizer as bigint,
    hash: row.hash as string,
    proposedBy: row.proposed_by as string,
    requests: row.requests as bigint,
    signers: JSON.parse(row.signers as string),
  }
}
