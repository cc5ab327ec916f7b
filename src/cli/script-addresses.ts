// Finds the JSON Ledger API of a participant that `dpm script` would reach over gRPC, by a host and a port.
import { StartError } from '../base/errors.ts'
import { isLoopback } from './local-node.ts'
import { createNodeClient } from './node-client.ts'
import { type NodeRecord, runningNodes } from './node-record.ts'

export type Finding = {
  readonly isTls: boolean
  /** Nodes that run over this folder are known with both their ports. */
  readonly folder: string
}

/** The port may also be that of the JSON Ledger API itself. */
export async function jsonApiAt(host: string, port: number, { isTls, folder }: Finding): Promise<string> {
  const url = addressOf(host, port, isTls)
  const own = runningNodes(folder)
    .flatMap(addressesOf)
    .find(({ grpcUrl }) => grpcUrl !== undefined && isSamePlace(grpcUrl, url))
  if (own !== undefined) return own.url
  if ((await createNodeClient(url, undefined).probe('/v2/version')) !== undefined) return url
  throw new StartError(
    `nothing at ${host}:${port} serves the JSON Ledger API, which scripts use here; give its address with --url`,
  )
}

export function addressOf(host: string, port: number, isTls: boolean): string {
  const url = `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!URL.canParse(url)) throw new StartError(`${host}:${port} is not an address`)
  return url
}

type Addresses = Pick<NodeRecord, 'url' | 'grpcUrl'>

const addressesOf = ({ url, grpcUrl, participants }: NodeRecord): readonly Addresses[] =>
  participants ?? [{ url, grpcUrl }]

function isSamePlace(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)]
  const areHere = isLoopback(first.hostname) && isLoopback(second.hostname)
  return first.port === second.port && (areHere || first.hostname === second.hostname)
}
