// Prepared transactions that a client changed before it sent them back: what cannot be read, and what was not signed.

import { hashPreparedTransaction } from '../../../src/lf/codec/prepared-hash.ts'
import { decodePreparedTransaction, encodePreparedTransaction } from '../../../src/lf/codec/prepared-transaction.ts'
import { createTarget } from '../../../test/fixtures/ledger.ts'
import { createSigner } from '../../../test/fixtures/signer.ts'
import type { Json } from '../both.ts'
import { right, type World } from '../world.ts'
import { onboard } from './interactive.ts'

type Change = (prepared: Json) => void

const inMetadata =
  (fields: object): Change =>
  ({ metadata }) =>
    Object.assign(metadata, fields)
const inSubmitter =
  (fields: object): Change =>
  ({ metadata }) =>
    Object.assign(metadata.submitterInfo, fields)
const inTransaction =
  (fields: object): Change =>
  ({ transaction }) =>
    Object.assign(transaction, fields)
const inNode =
  (fields: object): Change =>
  ({ transaction }) =>
    Object.assign(transaction.nodes[0].v1.value, fields)

const emptyContract = { v1: undefined, createdAt: 0n, eventBlob: new Uint8Array() }
const unknownId = `x::1220${'ab'.repeat(32)}`
const never = 2n ** 62n

/** With the signature of what was prepared. */
const changes: Readonly<Record<string, Change>> = {
  'no acting party': inSubmitter({ actAs: [] }),
  'another acting party': inSubmitter({ actAs: ['a b'] }),
  'an acting party that is none': inSubmitter({ actAs: ['a%'] }),
  'no command id': inSubmitter({ commandId: '' }),
  'a command id that is none': inSubmitter({ commandId: 'ä' }),
  'no submitter': inMetadata({ submitterInfo: undefined }),
  'no metadata': (prepared) => Object.assign(prepared, { metadata: undefined }),
  'no transaction': (prepared) => Object.assign(prepared, { transaction: undefined }),
  'a synchronizer without a namespace': inMetadata({ synchronizerId: 'x' }),
  'no synchronizer': inMetadata({ synchronizerId: '' }),
  'four parts of a synchronizer': inMetadata({ synchronizerId: 'a::1220ab::35-0::x' }),
  'no version of a synchronizer': inMetadata({ synchronizerId: 'a::1220ab::x' }),
  'an unknown synchronizer': inMetadata({ synchronizerId: `${unknownId}::35-0` }),
  'an unknown logical synchronizer': inMetadata({ synchronizerId: unknownId }),
  'no UUID': inMetadata({ transactionUuid: 'x' }),
  'a negative mediator group': inMetadata({ mediatorGroup: -1 }),
  'another mediator group': inMetadata({ mediatorGroup: 5 }),
  'bounds in the wrong order': inMetadata({ minLedgerEffectiveTime: 5n, maxLedgerEffectiveTime: 3n }),
  'a time that cannot be': inMetadata({ preparationTime: never }),
  'a latest record time that cannot be': inMetadata({ maxRecordTime: never }),
  'an empty input contract': inMetadata({ inputContracts: [emptyContract] }),
  'no root': inTransaction({ roots: [] }),
  'two roots': inTransaction({ roots: ['0', '0'] }),
  'a root that is no number': inTransaction({ roots: ['x'] }),
  'a root that is not there': inTransaction({ roots: ['7'] }),
  'no seed': inTransaction({ nodeSeeds: [] }),
  'a short seed': inTransaction({ nodeSeeds: [{ nodeId: 0, seed: new Uint8Array(3) }] }),
  'no version': inTransaction({ version: '' }),
  'an unknown version': inTransaction({ version: '9.9' }),
  'an empty node': inTransaction({ nodes: [{ nodeId: '0', v1: undefined }] }),
  'an unknown version of a node': inNode({ lfVersion: '1.0' }),
  'a contract id that is none': inNode({ contractId: 'x' }),
  'no template': inNode({ templateId: undefined }),
  'no argument': inNode({ argument: undefined }),
  'a package name that is none': inNode({ packageName: 'a b' }),
  'another signatory': inNode({ signatories: ['a b'] }),
  'a signatory that is none': inNode({ signatories: ['a%'] }),
}

/** Signed as they are. */
const signedChanges: readonly string[] = ['no acting party', 'another mediator group', 'an unknown synchronizer']

export async function preparedSession(world: World): Promise<void> {
  const { both, synchronizers, newId } = world
  const signer = createSigner()
  const party = await onboard(world, signer, `changing${world.run}`)
  if (party === undefined) return
  await both.post('/v2/users/app/rights', {
    userId: 'app',
    rights: [right('CanExecuteAs', party), right('CanReadAs', party)],
  })
  for (const isSigned of [false, true]) {
    for (const [note, change] of Object.entries(changes)) {
      if (isSigned && !signedChanges.includes(note)) continue
      const body = {
        userId: 'app',
        commandId: newId('changed'),
        commands: [createTarget([party])],
        actAs: [party],
        synchronizerId: synchronizers[0],
        packageIdSelectionPreference: [],
        verboseHashing: false,
      }
      const prepared = await both.call('POST', '/v2/interactive-submission/prepare', { as: 'app', body })
      if (prepared.ours.status !== 200 || prepared.canton.status !== 200) return
      const submissionId = newId('submission')
      const bodyOf = (side: 'ours' | 'canton') => {
        const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion } = prepared[side].json as Json
        const changed: Json = structuredClone(decodePreparedTransaction(Buffer.from(preparedTransaction, 'base64')))
        change(changed)
        const hash = isSigned
          ? hashPreparedTransaction(
              changed.transaction,
              changed.metadata,
              hashingSchemeVersion.endsWith('V3') ? 'V3' : 'V2',
            )
          : Buffer.from(preparedTransactionHash, 'base64')
        const who = side === 'ours' ? party : both.ids.toCanton(party)
        return {
          preparedTransaction: Buffer.from(encodePreparedTransaction(changed)).toString('base64'),
          hashingSchemeVersion,
          userId: 'app',
          submissionId,
          deduplicationPeriod: { Empty: {} },
          partySignatures: { signatures: [{ party: who, signatures: [signer.sign(hash)] }] },
        }
      }
      const path = '/v2/interactive-submission/executeAndWait'
      await both.call('POST', path, { as: 'app', note: `${note}${isSigned ? ', signed' : ''}`, bodyOf })
    }
  }
}
