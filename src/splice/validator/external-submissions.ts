// Commands of external parties: a validator prepares them, the party signs elsewhere, and the validator submits them. As Splice's
// ValidatorUtil.submitAsExternalParty.
import type { Json } from '../ledger/participant.ts'
import { checkFields } from '../serving/request-fields.ts'
import { badRequest, type ValidatorContext } from '../serving/route.ts'

export type ExternalCommand = {
  readonly party: string
  readonly command: object
  readonly disclosed?: readonly object[]
  readonly verboseHashing: boolean
}

/** What the party signs, in the names of Splice's API; `preparedTransaction` is what its hash is of. */
export async function prepare(
  { validator, network }: ValidatorContext,
  { party, command, disclosed = [], verboseHashing }: ExternalCommand,
): Promise<{ readonly transaction: string; readonly tx_hash: string; readonly hashing_details?: string }> {
  const { participant } = validator
  const prepared = await participant.call('POST', '/v2/interactive-submission/prepare', {
    userId: participant.userId,
    commandId: participant.newId(),
    actAs: [party],
    readAs: [party],
    commands: [command],
    disclosedContracts: disclosed,
    synchronizerId: network.synchronizerId,
    packageIdSelectionPreference: [],
    verboseHashing,
  })
  const { preparedTransaction, preparedTransactionHash, hashingDetails } = prepared
  return {
    transaction: preparedTransaction,
    tx_hash: Buffer.from(preparedTransactionHash, 'base64').toString('hex'),
    ...(hashingDetails !== null && { hashing_details: hashingDetails }),
  }
}

/** The id of the update. */
export async function submitSigned(context: ValidatorContext, submission: Json): Promise<string> {
  checkFields({ submission }, { required: { submission: 'Object' } })
  const fields = { party_id: 'String', transaction: 'String', signed_tx_hash: 'String', public_key: 'String' } as const
  checkFields(submission, { required: fields }, 'submission')
  const { party_id: party, transaction, signed_tx_hash: signed, public_key: key } = submission
  const signature = hexToBase64(signed)
  if (signature === undefined) throw badRequest('Unable to parse signed tx hash')
  const { participant } = context.validator
  const done = await participant.call('POST', '/v2/interactive-submission/executeAndWait', {
    userId: participant.userId,
    submissionId: participant.newId(),
    preparedTransaction: transaction,
    hashingSchemeVersion: 'HASHING_SCHEME_VERSION_V2',
    deduplicationPeriod: { Empty: {} },
    partySignatures: {
      signatures: [{ party, signatures: [signatureJson(signature, await fingerprintOf(context, key))] }],
    },
  })
  return done.updateId
}

export function signatureJson(signature: string, signedBy: string): object {
  return {
    format: 'SIGNATURE_FORMAT_CONCAT',
    signature,
    signedBy,
    signingAlgorithmSpec: 'SIGNING_ALGORITHM_SPEC_ED25519',
  }
}

/** Undefined for a text that is not hexadecimal. */
export function hexToBase64(text: string): string | undefined {
  return /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex').toString('base64') : undefined
}

/** The fingerprint of a key, as the participant computes it. */
async function fingerprintOf(context: ValidatorContext, publicKey: string): Promise<string> {
  return (await generateTopology(context, 'fingerprint', publicKey)).publicKeyFingerprint
}

/** What an external party with this key has to sign, so that the participant hosts it. */
export async function generateTopology(
  { validator, network }: ValidatorContext,
  partyHint: string,
  publicKey: string,
): Promise<Json> {
  const keyData = hexToBase64(publicKey)
  if (keyData === undefined) throw badRequest(`Could not decode public key ${publicKey} as a hex string`)
  return validator.participant.call('POST', '/v2/parties/external/generate-topology', {
    synchronizer: network.synchronizerId,
    partyHint,
    publicKey: { format: 'CRYPTO_KEY_FORMAT_RAW', keyData, keySpec: 'SIGNING_KEY_SPEC_EC_CURVE25519' },
  })
}
