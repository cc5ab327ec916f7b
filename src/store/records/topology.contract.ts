// Certificates and proposals over any database: what is written is found again, and damage is noticed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storedDataDamaged } from '../../base/errors.ts'
import type { Database } from '../core/database.ts'
import type { CertificateRecord, ProposalRecord } from '../core/ledger-records.ts'
import { migrate } from '../schema/migrate.ts'
import { createStore } from './create-store.ts'

const content = Buffer.from([0, 1, 128, 255])
const proposal: ProposalRecord = {
  party: 'alice::1220aa',
  synchronizer: 1n,
  hash: '1220bb',
  proposedBy: 'app',
  requests: 1n,
  signers: [['1220cc'], []],
}

export function topologyContract(name: string, open: () => Promise<Database>): void {
  describe(`certificates and proposals on ${name}`, () => {
    test('certificates are found by namespace and synchronizer, in order', async () => {
      await using database = await open()
      await migrate(database)
      const { topology } = createStore(database)
      const certificate = { namespace: '1220aa', synchronizer: 1n, target: '1220aa', content }
      const delegated = { ...certificate, target: '1220cc', content: new Uint8Array() }
      const group = { ...certificate, namespace: '1220bb', target: '' }
      for (const one of [delegated, group, certificate]) await topology.insertCertificate(one)
      assert.deepEqual(await topology.certificates(1n, []), [])
      assert.deepEqual(await topology.certificates(2n, ['1220aa']), [])
      const hex = (one: CertificateRecord) => ({ ...one, content: Buffer.from(one.content).toString('hex') })
      const found = await topology.certificates(1n, ['1220bb', '1220ff', '1220aa'])
      assert.deepEqual(found.map(hex), [certificate, delegated, group].map(hex))
      await assert.rejects(topology.insertCertificate(certificate), 'one for each key')
    })

    test('proposals are replaced, counted, and deleted by party and synchronizer', async () => {
      await using database = await open()
      await migrate(database)
      const { topology } = createStore(database)
      const { party, hash } = proposal
      assert.equal(await topology.proposal(party, 1n, hash), undefined)
      assert.equal(await topology.countRequests(party), 0n)
      await topology.putProposal(proposal)
      const grown = { ...proposal, requests: 2n, signers: [['1220cc', '1220dd'], ['1220dd']] }
      await topology.putProposal(grown)
      assert.deepEqual(await topology.proposal(party, 1n, hash), grown)
      const others = [
        { ...proposal, synchronizer: 2n },
        { ...proposal, hash: '1220ee' },
        { ...proposal, hash: '1220ff', proposedBy: '' },
        { ...proposal, party: 'bob::1220aa' },
      ]
      for (const other of others) await topology.putProposal(other)
      assert.equal(await topology.countRequests(party), 5n)
      assert.equal(await topology.countProposals(party, 1n, 'app'), 2n)
      assert.equal(await topology.countProposals(party, 1n, ''), 1n)
      assert.deepEqual(await topology.proposedParties('app'), [party, 'bob::1220aa'])
      assert.deepEqual(await topology.proposedParties('nobody'), [])
      await topology.deleteProposals(party, 1n)
      assert.equal(await topology.proposal(party, 1n, hash), undefined)
      assert.deepEqual(await topology.proposal(party, 2n, hash), others[0])
      assert.equal(await topology.countRequests(party), 1n)
    })

    test('a damaged row is refused', async () => {
      await using database = await open()
      await migrate(database)
      const damaged: string[] = []
      const { topology } = createStore(database, (what) => {
        damaged.push(what)
        return storedDataDamaged(what)
      })
      await topology.putProposal(proposal)
      await topology.insertCertificate({ namespace: '1220aa', synchronizer: 1n, target: '', content })
      await database.query('UPDATE party_proposals SET signers = \'[["1220ff"],[]]\'')
      await database.query("UPDATE namespace_certificates SET target = '1220ff'")
      await assert.rejects(topology.proposal(proposal.party, 1n, proposal.hash))
      await assert.rejects(topology.certificates(1n, ['1220aa']))
      assert.deepEqual(damaged, ['a proposal to host the party alice::1220aa', 'a certificate of the namespace 1220aa'])
    })
  })
}
