// /api/validator/v0/admin/external-party/topology: hosts a party that keeps its own key. It signs each topology transaction.
import { createHash } from 'node:crypto'
import type { Json } from '../ledger/participant.ts'
import { checkFields } from '../serving/request-fields.ts'
import { badRequest, type Route, type ValidatorContext } from '../serving/route.ts'
import { generateTopology, hexToBase64, signatureJson } from './external-submissions.ts'

const base = '/api/validator/v0/admin/external-party/topology'

export const externalTopologyRoutes: readonly Route<ValidatorContext>[] = [
  {
    method: 'POST',
    path: `${base}/generate`,
    access: 'operator',
    async answer(context, { body }) {
      checkFields(body, { required: { party_hint: 'String', public_key: 'String' } })
      const { party_hint: hint, public_key: key } = body
      const { partyId, topologyTransactions } = await generateTopology(context, hint, key)
      return { party_id: partyId, topology_txs: topologyTransactions.map(transactionToSign) }
    },
  },
  {
    method: 'POST',
    path: `${base}/submit`,
    access: 'operator',
    async answer(context, { body }) {
      checkFields(body, { required: { public_key: 'String', signed_topology_txs: 'C[A]' } })
      const { public_key: key, signed_topology_txs: signed } = body
      const { publicKeyFingerprint } = await generateTopology(context, 'fingerprint', key)
      const { participant } = context.validator
      const { partyId } = await participant.call('POST', '/v2/parties/external/allocate', {
        synchronizer: context.network.synchronizerId,
        onboardingTransactions: signed.map((one: Json) => signedTransaction(one, publicKeyFingerprint)),
        userId: participant.userId, // Which may act as the party from now on.
      })
      return { party_id: partyId }
    },
  },
]

function transactionToSign(transaction: string): object {
  return { topology_tx: transaction, hash: topologyHash(Buffer.from(transaction, 'base64')) }
}

function signedTransaction(one: Json, fingerprint: string): object {
  checkFields(one, { required: { topology_tx: 'String', signed_hash: 'String' } }, 'signed_topology_txs')
  const { topology_tx: transaction, signed_hash: signed } = one
  const signature = hexToBase64(signed)
  if (signature === undefined) throw badRequest(`Failed to decode hex-encoded tx signature: ${signed}`)
  return { transaction, signatures: [signatureJson(signature, fingerprint)] }
}

/** What signatures of topology transactions are for, in Canton's list of purposes. */
const topologyPurpose = 11

/** As Canton hashes it: SHA-256 over its purpose and its bytes, with the code of the algorithm and the length in front. */
export function topologyHash(transaction: Uint8Array): string {
  const purpose = Buffer.alloc(4)
  purpose.writeInt32BE(topologyPurpose)
  return `1220${createHash('sha256').update(purpose).update(transaction).digest('hex')}`
}
