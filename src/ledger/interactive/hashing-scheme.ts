// The hashing scheme that a request names.
import { invalidField } from '../../base/errors.ts'
import type { HashingScheme } from '../../lf/codec/prepared-hash-input.ts'

export type HashingSchemeVersion =
  | 'HASHING_SCHEME_VERSION_UNSPECIFIED'
  | 'HASHING_SCHEME_VERSION_V2'
  | 'HASHING_SCHEME_VERSION_V3'

export function validateScheme(version: HashingSchemeVersion): HashingScheme {
  if (version === 'HASHING_SCHEME_VERSION_V2') return 'V2'
  if (version === 'HASHING_SCHEME_VERSION_V3') return 'V3'
  throw invalidField('hashing_scheme_version', 'Unspecified version')
}
