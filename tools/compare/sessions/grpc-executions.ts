// Execution of prepared transactions over gRPC, as they were prepared and changed.
import { hashPreparedTransaction } from '../../../src/lf/codec/prepared-hash.ts'
import { decodePreparedTransaction, encodePreparedTransaction } from '../../../src/lf/codec/prepared-transaction.ts'
import { target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { createSigner } from '../../../test/fixtures/signer.ts'
import type { Json } from '../both.ts'
import { right, target, type World } from '../world.ts'
import { onboard } from './interactive.ts'

const service = 'interactive.InteractiveSubmissionService'

/** What is put in the place of parts of the transaction. */
const changes: readonly (readonly [note: string, change: Json])[] = [
  ['as it was prepared', {}],
  ['no actor', { metadata: { submitterInfo: { actAs: [] } } }],
  ['no command id', { metadata: { submitterInfo: { commandId: '' } } }],
  ['a UUID that is none', { metadata: { transactionUuid: 'x' } }],
  ['another mediator', { metadata: { mediatorGroup: 7 } }],
  ['no synchronizer', { metadata: { synchronizerId: '' } }],
  ['no roots', { transaction: { roots: [] } }],
  ['no metadata', { metadata: undefined }],
]

export async function grpcExecutions(world: World): Promise<void> {
  const { both, synchronizers, newId } = world
  const signer = createSigner()
  const party = await onboard(world, signer, newId('holder'))
  if (party === undefined) return
  await both.post('/v2/users/app/rights', {
    userId: 'app',
    rights: [right('CanExecuteAs', party), right('CanReadAs', party)],
  })
  for (const [note, change] of changes) {
    for (const method of ['ExecuteSubmission', 'ExecuteSubmissionAndWait', 'ExecuteSubmissionAndWaitForTransaction']) {
      const prepared = await both.call('POST', '/v2/interactive-submission/prepare', {
        as: 'app',
        body: {
          userId: 'app',
          commandId: newId('signed'),
          actAs: [party],
          synchronizerId: synchronizers[0],
          commands: [{ CreateCommand: { templateId: target, createArguments: targetArguments([party]) } }],
          packageIdSelectionPreference: [],
          verboseHashing: false,
        },
      })
      const submissionId = newId('submission')
      const bodyOf = (side: 'ours' | 'canton') => {
        const { preparedTransaction, hashingSchemeVersion } = prepared[side].json as Json
        const transaction: Json = decodePreparedTransaction(Buffer.from(preparedTransaction, 'base64'))
        const hash = hashPreparedTransaction(transaction.transaction, transaction.metadata, 'V2')
        const changed = merged(transaction, change)
        const isWhole = changed.metadata !== undefined
        const signed = isWhole ? hashPreparedTransaction(changed.transaction, changed.metadata, 'V2') : hash
        const who = side === 'ours' ? party : both.ids.toCanton(party)
        return {
          preparedTransaction: Buffer.from(encodePreparedTransaction(changed)).toString('base64'),
          hashingSchemeVersion,
          userId: 'app',
          submissionId,
          partySignatures: { signatures: [{ party: who, signatures: [signer.sign(signed)] }] },
        }
      }
      await both.grpc(`${service}/${method}`, undefined, { as: 'app', note, bodyOf })
    }
  }
  const { offset } = (await both.grpc('StateService/GetLedgerEnd', {})).json
  const completions = { userId: 'app', parties: [party], beginExclusive: Math.max(0, offset - 20) }
  await both.grpc('CommandCompletionService/CompletionStream', completions, { as: 'app', note: 'of the executions' })
}

function merged(value: Json, change: Json): Json {
  const isPart = typeof change === 'object' && change !== null && !Array.isArray(change)
  if (!isPart) return change
  const parts = Object.entries(change).map(([key, part]) => [key, merged(value[key], part)])
  return { ...value, ...Object.fromEntries(parts) }
}
