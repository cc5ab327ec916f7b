// External parties with several keys: how many signatures it takes to onboard them, and to execute a transaction.

import { multiHash, transactionHash } from '../../../src/ledger/topology/mappings.ts'
import { createTarget } from '../../../test/fixtures/ledger.ts'
import { createSigner, type Signer } from '../../../test/fixtures/signer.ts'
import { type HostingOf, partyToParticipant, permission, transaction } from '../../../test/fixtures/topology.ts'
import type { Json } from '../both.ts'
import { right, type World } from '../world.ts'

type Thresholds = Pick<HostingOf, 'threshold' | 'keyThreshold'>

export async function thresholdSession(world: World): Promise<void> {
  const { both, synchronizers, participant, newId } = world
  const [ruler, first, second, stranger] = [createSigner(), createSigner(), createSigner(), createSigner()]
  const keys = [ruler, first, second].map((signer) => ({ signer }))
  const sideOf = (side: 'ours' | 'canton', text: string) => (side === 'ours' ? text : both.ids.toCanton(text))

  async function allocate(thresholds: Thresholds, signers: readonly Signer[], note: string): Promise<Json> {
    const party = `${newId('several')}::${ruler.fingerprint}`
    both.ids.fix(ruler.fingerprint)
    const bodyOf = (side: 'ours' | 'canton') => {
      const hosts = [[sideOf(side, participant), permission.confirmation]] as const
      const bytes = transaction(partyToParticipant({ party, hosts, keys, ...thresholds }))
      return {
        synchronizer: sideOf(side, synchronizers[0]!),
        onboardingTransactions: [{ transaction: bytes.toString('base64') }],
        multiHashSignatures: signers.map((signer) => signer.sign(multiHash([transactionHash(bytes)]))),
      }
    }
    return (await both.call('POST', '/v2/parties/external/allocate', { bodyOf, note })).json
  }

  const all = [ruler, first, second]
  await allocate({ threshold: 2 }, all, 'more confirmations than hosts')
  await allocate({ threshold: 0 }, all, 'no confirmation')
  await allocate({ keyThreshold: 4 }, all, 'more signatures than keys')
  await allocate({ keyThreshold: 0 }, all, 'no signature')
  await allocate({ keyThreshold: 2 }, [], 'signed by nobody')
  await allocate({ keyThreshold: 2 }, [stranger], 'signed by a stranger')
  const { partyId } = await allocate({ keyThreshold: 2 }, all, 'signed by all')
  if (partyId === undefined) return
  await both.post('/v2/users/app/rights', {
    userId: 'app',
    rights: [right('CanExecuteAs', partyId), right('CanReadAs', partyId)],
  })
  const signings: readonly (readonly [note: string, signers: readonly Signer[]])[] = [
    ['no signature', []],
    ['one', [ruler]],
    ['one twice', [ruler, ruler]],
    ['one and a stranger', [first, stranger]],
    ['a stranger', [stranger]],
    ['two', [first, second]],
    ['all', all],
    ['all and a stranger', [...all, stranger]],
  ]
  for (const [note, signers] of signings) {
    const body = {
      userId: 'app',
      commandId: newId('signed'),
      commands: [createTarget([partyId])],
      actAs: [partyId],
      synchronizerId: synchronizers[0],
      packageIdSelectionPreference: [],
      verboseHashing: false,
    }
    const prepared = await both.call('POST', '/v2/interactive-submission/prepare', { as: 'app', body })
    if (prepared.ours.status !== 200 || prepared.canton.status !== 200) return
    const submissionId = newId('submission')
    const bodyOf = (side: 'ours' | 'canton') => {
      const { preparedTransaction, preparedTransactionHash, hashingSchemeVersion } = prepared[side].json as Json
      const signatures = signers.map((signer) => signer.sign(Buffer.from(preparedTransactionHash, 'base64')))
      return {
        preparedTransaction,
        hashingSchemeVersion,
        userId: 'app',
        submissionId,
        deduplicationPeriod: { Empty: {} },
        partySignatures: { signatures: [{ party: partyId, signatures }] },
      }
    }
    await both.call('POST', '/v2/interactive-submission/executeAndWait', { as: 'app', note, bodyOf })
  }
}
