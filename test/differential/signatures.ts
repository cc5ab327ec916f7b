// Our answer about a signature, or about a key alone, in the form of the recording.
import { evaluate } from '../support/engine/evaluate.ts'

/** `true`, `false`, `BYTES`, `KEY text` or `SIGNATURE text`; the signature `validate` asks about the key alone. */
export function answerAbout(signature: string, digest: string, key: string): string {
  const outcome = String(
    signature === 'validate'
      ? evaluate('SECP256K1_VALIDATE_KEY', [key])
      : evaluate('SECP256K1_WITH_ECDSA_BOOL', [signature, digest, key]),
  )
  const failure = /_MALFORMED_(\w+): [^:]*:\n(.*)$/s.exec(outcome)
  if (!failure) return outcome
  return failure[1] === 'BYTE_ENCODING' ? 'BYTES' : `${failure[1]} ${failure[2]}`
}
