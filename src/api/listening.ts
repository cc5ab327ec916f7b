// Where the API listens: the addresses of a host, a port that processes may share, and TLS.
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { createSecureContext } from 'node:tls'
import { StartError } from '../base/errors.ts'
import type { Settings } from '../base/settings.ts'

/** Listens, or throws why it cannot. Several processes share a port: the operating system deals its connections out. */
export async function listening(
  server: Server,
  address: string,
  port: number,
  { processes }: Pick<Settings, 'processes'>,
): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ port, host: address, reusePort: processes > 1 }, resolve)
  await promise
  server.off('error', reject)
  return server.address() as AddressInfo
}

/** Clients may use either address of localhost; any other name is one address. */
export async function addressesOf(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host]
  const found = await lookup(host, { all: true })
  return found.length === 0 ? [host] : found.map(({ address }) => address)
}

/** An address that a client can connect to: for the wildcard, the loopback address. */
export function shownHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}

export function readTls({ certificateFile, keyFile }: { certificateFile: string; keyFile: string }) {
  try {
    const files = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) }
    createSecureContext(files) // Fail at start rather than at the first connection.
    return files
  } catch (error) {
    throw new StartError(`cannot use ${certificateFile} and ${keyFile} for TLS: ${(error as Error).message}`)
  }
}
