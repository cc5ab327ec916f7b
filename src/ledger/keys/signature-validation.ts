// Turns a signature as a client sent it into one that can be verified. Mirrors Canton's CryptoValidator.
import { invalidField } from '../../base/errors.ts'
import { fingerprintProblem } from '../../base/names.ts'
import { type Signature, type SignatureFormat, type SigningAlgorithmSpec, signingAlgorithms } from './signatures.ts'

export type SentSignature = {
  readonly format: SignatureFormat | 'SIGNATURE_FORMAT_UNSPECIFIED'
  readonly signature: Uint8Array
  readonly signedBy: string
  readonly signingAlgorithmSpec: SigningAlgorithmSpec | 'SIGNING_ALGORITHM_SPEC_UNSPECIFIED'
}

/** `field` is the path of the signature, in Canton's words. The signature itself is not verified here. */
export function validateSignature(sent: SentSignature, field: string): Signature {
  const { format, signature, signedBy, signingAlgorithmSpec } = sent
  if (format === 'SIGNATURE_FORMAT_UNSPECIFIED') throw invalidField('format', 'Signature format must be specified')
  const problem = fingerprintProblem(signedBy)
  if (problem !== undefined) throw invalidField(field, problem)
  if (!isAlgorithm(signingAlgorithmSpec)) {
    throw invalidField(field, `Signing algorithm spec ${signingAlgorithmSpec} not supported`)
  }
  return { format, signature, signedBy, signingAlgorithmSpec }
}

function isAlgorithm(spec: SentSignature['signingAlgorithmSpec']): spec is SigningAlgorithmSpec {
  return Object.hasOwn(signingAlgorithms, spec)
}
