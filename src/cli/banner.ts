// What a node prints when it is ready: its address, its settings, and the next steps.
import { isDevelopment, type Settings } from '../base/settings.ts'
import { ownVersion } from '../base/version.ts'
import type { Node } from '../node/node.ts'

/** Beyond this number packages are only counted. */
const packagesShown = 8

/** `oidc` describes the issuer beside the node, if there is one. */
export function banner(node: Node, settings: Settings, readyMs: number, oidc?: string): string {
  const explorer = node.explorerLink()
  const rows: [name: string, value: string][] = [
    ['url', node.url],
    ...(explorer === undefined ? [] : [['explorer', explorer] as [string, string]]),
    ['docs', `${node.url}/docs`],
    ...(node.grpcUrl === undefined ? [] : [['grpc', node.grpcUrl] as [string, string]]),
    ...(node.adminUrl === undefined ? [] : [['admin api', node.adminUrl] as [string, string]]),
    ...node.participants.slice(1).map(({ name, url, grpcUrl }): [string, string] => {
      return [name, grpcUrl === undefined ? url : `${url}, ${grpcUrl}`]
    }),
    ...(settings.processes === 1 ? [] : [['processes', String(settings.processes)] as [string, string]]),
    ['store', node.storeName],
    ['tokens', node.tokenCheck],
    ...(oidc === undefined ? [] : [['oidc', oidc] as [string, string]]),
    ['time', node.staticTime === undefined ? 'wall clock' : `static, at ${node.staticTime}; POST /v2/time moves it`],
    ['participant', node.participantId],
    ...(node.forkOf === undefined ? [] : [['fork of', node.forkOf] as [string, string]]),
    ['synchronizers', node.synchronizers.join(', ')],
    ['packages', packagesIn(node.packages)],
    ...(isDevelopment(settings) ? [['mode', 'development: errors are explained'] as [string, string]] : []),
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(13)}  ${value}`)
  return `tallystick ${ownVersion}\n\n${lines.join('\n')}\n\n  ready in ${readyMs} ms\n`
}

function packagesIn(packages: readonly string[]): string {
  if (packages.length === 0) return 'none yet'
  const more = packages.length - packagesShown
  return packages.slice(0, packagesShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** `token` is the administrator's; undefined on a node without a local secret. */
export function nextSteps(node: Node, settings: Settings, token: string | undefined): string {
  const upload = `your own package: tallystick dar upload FILE, or start with --dar FILE; the API: ${node.url}/docs`
  if (token !== undefined) {
    return `  try, with a token of the user participant_admin that is valid for a day (\`tallystick token\` issues more):
  curl -H 'Authorization: Bearer ${token}' ${node.url}/v2/users

  next: ${upload}
`
  }
  if (settings.auth.mode === 'off') return `  try:\n  curl ${node.url}/v2/users\n\n  next: ${upload}\n`
  return `  next: call it with a token from ${tokenSource(settings)}; ${node.url}/readyz says whether it is ready\n`
}

function tokenSource({ auth }: Settings): string {
  return auth.keys.length === 1 ? 'the configured issuer' : 'one of the configured issuers'
}
