// The participant's private key when it is kept outside the database: in a file, or in a setting from the environment.
// PKCS #8 in PEM form, as `openssl genpkey -algorithm ed25519` writes it, encrypted if there is a passphrase. Neither
// the key nor its file's content ever appears in a message.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../base/errors.ts'
import { makePrivateFolder, publishPrivateFile } from '../../base/private-files.ts'
import type { Settings } from '../../base/settings.ts'
import { fingerprintOf } from './signing-keys.ts'

export type PublicIdentity = {
  /** The DER of its X.509 SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
  /** `1220` and the SHA-256 of the public key, as Canton computes it. */
  readonly namespace: string
}

type KeySettings = Settings['participant']

/** Whether the settings name an outside key. */
export function isKeyOutside({ key, keyFile }: KeySettings): boolean {
  return key !== undefined || keyFile !== undefined
}

/** The key that the settings name; undefined if its file does not exist. */
export function readOutsideKey({ key, keyFile, keyPassphrase }: KeySettings): KeyObject | undefined {
  if (key !== undefined && keyFile !== undefined) {
    throw new StartError('participant.key and participant.keyFile exclude each other')
  }
  // Some ways of setting an environment variable allow only one line.
  if (key !== undefined) return keyFromPem(key.replaceAll('\\n', '\n'), keyPassphrase, 'participant.key')
  if (keyFile === undefined || !existsSync(keyFile)) return undefined
  return keyFromPem(readKeyFile(keyFile), keyPassphrase, keyFile)
}

/** Creates the file. False if there is one already, which is never overwritten. */
export function writeKeyFile(file: string, key: KeyObject, passphrase: string | undefined): boolean {
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
  const pem = key.export({ type: 'pkcs8', format: 'pem', ...encryption }) as string
  try {
    makePrivateFolder(dirname(file))
    publishPrivateFile(file, pem)
    return true
  } catch (error) {
    const { code = 'unknown reason' } = error as { code?: string }
    if (code === 'EEXIST') return false
    throw new StartError(`cannot write the key to ${file}: ${code}`)
  }
}

export function keyFromSeed(seed: Uint8Array): KeyObject {
  const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}

export function publicIdentityOf(key: KeyObject): PublicIdentity {
  return identityOfPublicKey(createPublicKey(key).export({ format: 'der', type: 'spki' }))
}

export function identityOfPublicKey(publicKey: Uint8Array): PublicIdentity {
  return { publicKey, namespace: fingerprintOf('SIGNING_KEY_SPEC_EC_CURVE25519', publicKey) }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read the participant's key: ${(error as Error).message}`)
  }
}

function keyFromPem(pem: string, passphrase: string | undefined, place: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey({ key: pem, format: 'pem', ...(passphrase !== undefined && { passphrase }) })
  } catch {
    const expected = pem.includes('ENCRYPTED')
      ? 'participant.keyPassphrase does not open it'
      : 'it is no private key in PEM form'
    throw new StartError(`cannot use the participant's key in ${place}: ${expected}`)
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new StartError(`cannot use the participant's key in ${place}: it is ${key.asymmetricKeyType}, not ed25519`)
}
