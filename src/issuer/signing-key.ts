// The RSA key that signs tokens: kept in the data folder, so that tokens survive a restart, or made for this process.
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'
import { StartError } from '../base/errors.ts'
import { makePrivateFolder, publishPrivateFile } from '../base/private-files.ts'

export const algorithm = 'RS256'

export type SigningKey = {
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** As the key set publishes it. */
  readonly published: JWK
}

export const keyFileName = 'oidc-key.pem'

/** Without a folder, the key is lost with the process. */
export async function openSigningKey(folder: string | undefined): Promise<SigningKey> {
  const privateKey = (folder === undefined ? undefined : readKey(folder)) ?? (await makeKey(folder))
  const publicKey = createPublicKey(privateKey)
  const jwk = await exportJWK(publicKey)
  const id = await calculateJwkThumbprint(jwk)
  return { id, privateKey, publicKey, published: { ...jwk, kid: id, alg: algorithm, use: 'sig' } }
}

function readKey(folder: string): KeyObject | undefined {
  const file = join(folder, keyFileName)
  try {
    return createPrivateKey(readFileSync(file))
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw new StartError(
      `cannot use the key of the OIDC issuer in ${file}: ${(error as Error).message}; without the file, a new one is made`,
    )
  }
}

async function makeKey(folder: string | undefined): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  if (folder === undefined) return privateKey
  try {
    makePrivateFolder(folder)
    publishPrivateFile(join(folder, keyFileName), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  } catch (error) {
    throw new StartError(`cannot write the key of the OIDC issuer to ${folder}: ${(error as Error).message}`)
  }
  return privateKey
}
