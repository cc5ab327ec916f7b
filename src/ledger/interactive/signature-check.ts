// Checks that every acting party has signed: with keys registered for it, and with as many as its threshold requires.
// Error texts are those of Canton's InteractiveSubmission.
import { shorten, shortIdentifier } from '../../base/names.ts'
import { type Signature, verifySignature } from '../keys/signatures.ts'
import type { Synchronizer } from '../model/synchronizers.ts'
import type { PartyKeyRegister } from '../topology/party-keys.ts'
import { failedToExecute } from './execute-request.ts'

/** More than anybody needs; each costs a verification. */
const signaturesMax = 50

type Signed = {
  readonly hash: Uint8Array
  readonly actAs: readonly string[]
  readonly signatures: ReadonlyMap<string, readonly Signature[]>
  readonly synchronizer: Synchronizer
}

export function checkSignatureCount(signatures: Signed['signatures']): void {
  if ([...signatures.values()].every(({ length }) => length <= signaturesMax)) return
  const words = 'One or more parties provided more than the maximum number of signatures allowed'
  throw failedToExecute(`${words} (${signaturesMax})`)
}

export async function checkSignatures({ hash, actAs, signatures, synchronizer }: Signed, partyKeys: PartyKeyRegister) {
  const unsigned = actAs.filter((party) => !signatures.has(party))
  if (unsigned.length > 0) {
    const parties = shorten(unsigned.join(', '), 2000)
    throw failedToExecute(`The following actAs parties did not provide an external signature: ${parties}`)
  }
  for (const party of actAs) {
    const shown = shortIdentifier(party)
    const registered = (await partyKeys.of(party)).get(synchronizer.number)
    if (registered === undefined) throw failedToExecute(`Could not find party signing keys for ${shown}.`)
    const { keys, threshold } = registered
    const sent = signatures.get(party)!
    if (sent.length > keys.length && synchronizer.protocolVersion > 34) {
      throw failedToExecute(
        `${sent.length} external signatures were provided, which is more than the number of registered signing keys ` +
          `(${keys.length}) with protocol usage for ${shown}`,
      )
    }
    const valid = new Set<string>()
    let invalid = 0
    for (const signature of sent) {
      const key = keys.find(({ fingerprint }) => fingerprint === signature.signedBy)
      if (key !== undefined && verifySignature(key, signature, hash) === 'valid') valid.add(key.fingerprint)
      else invalid += 1
    }
    if (valid.size >= threshold) continue
    throw failedToExecute(
      `Received ${valid.size} valid signatures from distinct keys (${invalid} invalid), but expected at least ` +
        `${threshold} valid for ${shown}. Transaction hash to be signed: 1220${Buffer.from(hash).toString('hex')}. ` +
        'Ensure the correct transaction hash is signed with the correct key(s).',
    )
  }
}
