// tallystick localnet: one process in the place of LocalNet: its participants, ports, users and tokens, its DSO, and Splice's APIs.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { systemRandom } from '../../base/random.ts'
import type { Settings } from '../../base/settings.ts'
import { ownVersion } from '../../base/version.ts'
import { type Node, startNode } from '../../node/node.ts'
import type { SplicePackages } from '../../splice/founding/packages.ts'
import type { Localnet } from '../../splice/localnet.ts'
import type { CheckedDar } from '../../splice/packages/checked-dars.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { fromFlags, loadOver } from '../config.ts'
import { leaveRecordOf } from '../node-record.ts'
import { settingOptions } from '../options.ts'
import { serving, untilStoppedOrLost } from '../serving.ts'

type Flags = {
  readonly config?: string
  readonly 'multi-sync'?: boolean
  readonly 'port-offset'?: string
  readonly 'party-hint'?: string
  readonly 'splice-version'?: string
  readonly 'splice-dars'?: string
  readonly 'no-splice'?: boolean
  readonly oidc?: boolean
  readonly 'oidc-realm'?: readonly string[]
  readonly unsafe?: boolean
}

const { host, data, memory, seed, dar, config, 'static-time': staticTime, 'log-level': level } = settingOptions

export const localnetCommand: Command = {
  summary: "run a node in the place of Splice's LocalNet (cn-quickstart)",
  usage: 'tallystick localnet [options]',
  options: {
    'multi-sync': {
      type: 'boolean',
      help: 'with a second synchronizer, app-synchronizer, of app-user and app-provider',
    },
    'splice-version': { type: 'string', value: 'VERSION', help: 'release of Splice (0.6.11)' },
    'splice-dars': {
      type: 'string',
      value: 'DIR',
      help: 'folder with the DARs of the release, instead of fetching them',
    },
    'no-splice': { type: 'boolean', help: 'participants, parties and users alone, without the DSO' },
    oidc: { type: 'boolean', help: "with an OIDC issuer in the place of quickstart's Keycloak, on port 8082" },
    'oidc-realm': {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'with --oidc: a realm that Keycloak exported; may be repeated',
    },
    'party-hint': {
      type: 'string',
      value: 'HINT',
      help: 'company-role-number, in names of parties (localnet-localparty-1)',
    },
    'port-offset': { type: 'string', value: 'N', help: 'added to every port, for a second network on this machine' },
    unsafe: { type: 'boolean', help: 'listen beyond this machine, although everybody can sign tokens' },
    host,
    data,
    memory,
    'static-time': staticTime,
    seed,
    dar,
    config,
    'log-level': level,
  },
  notes: `Three participants, app-user (ports 2xxx), app-provider (3xxx) and sv (4xxx): JSON Ledger API x975, gRPC x901, Admin API x902,
validator x903, virtual hosts such as wallet.localhost and json-ledger-api.localhost on x000; scan on 5012.
Tokens are LocalNet's: HS256 with the secret "unsafe". The packages of Splice are fetched once, and checked.`,
  async run(flags: Flags, surroundings) {
    await serving(() => serve(flags, surroundings), surroundings)
  },
}

async function serve(flags: Flags, surroundings: Surroundings): Promise<void> {
  const { print, untilStopped, showProgress } = surroundings
  const { oidcPort } = await import('../../splice/profile/realms.ts')
  const { lastPort, partyHintDefault, partyHintPattern } = await import('../../splice/profile/participants.ts')
  const portOffset = portOffsetFrom(flags['port-offset'], flags.oidc ? oidcPort : lastPort)
  const partyHint = flags['party-hint'] ?? partyHintDefault
  if (!partyHintPattern.test(partyHint)) throw new UsageError(`--party-hint: ${partyHint} is not company-role-number`)
  if (flags['oidc-realm'] !== undefined && !flags.oidc) throw new UsageError('--oidc-realm is only for --oidc')
  const settings = await settingsFrom(flags, portOffset, surroundings)
  const splice = flags['no-splice'] ? undefined : await splicePackages(flags, surroundings)
  const founded = splice && foundedFile(splice, partyHint, settings, surroundings)
  await using node = await started(() => startParticipants(settings, founded))
  const stopped = untilStopped()
  using _record = leaveRecordOf(node, settings, print)
  if (splice !== undefined) showProgress(`founding the network of Splice ${splice.release.version}…`)
  const { openLocalnet } = await import('../../splice/localnet.ts')
  await using localnet = await openLocalnet({
    participants: node.participants,
    host: settings.http.host,
    portOffset,
    partyHint,
    splice,
    oidc: flags.oidc ? { folder: keyFolder(settings), realmFiles: flags['oidc-realm'] ?? [] } : undefined,
    foundedFile: founded,
    clock: wallClock,
    random: systemRandom,
    log: createLog(settings.log.level, settings.log.format),
  })
  print(banner(node, localnet, settings, { portOffset, hasOidc: flags.oidc ?? false }))
  await untilStoppedOrLost(stopped, node)
  print('stopping…')
}

function portOffsetFrom(text: string | undefined, lastPort: number): number {
  const offset = Number(text ?? 0)
  if (/^\d+$/.test(text ?? '0') && lastPort + offset <= 65_535) return offset
  throw new UsageError(`--port-offset: it is a whole number up to ${65_535 - lastPort}`)
}

async function settingsFrom(flags: Flags, portOffset: number, { environment }: Surroundings): Promise<Settings> {
  const { localnetSettings } = await import('../../splice/profile/localnet-settings.ts')
  const defaults = localnetSettings({ portOffset, hasAppSynchronizer: flags['multi-sync'] ?? false })
  const { config } = flags
  const settings = loadOver(
    defaults,
    fromFlags(flags),
    config === undefined ? environment : { ...environment, TALLYSTICK_CONFIG: config },
  )
  const { host } = settings.http
  if (!isLoopback(host) && !flags.unsafe) {
    throw new UsageError(
      `${host} is not this machine: everybody can sign LocalNet's tokens, so whoever reaches it may do everything; --unsafe listens there`,
    )
  }
  if (!flags.oidc) return settings
  const { issuerKeys } = await import('../../splice/profile/realms.ts')
  return { ...settings, auth: { ...settings.auth, keys: [...settings.auth.keys, issuerKeys(host, portOffset)] } }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}

async function splicePackages(flags: Flags, { environment, showProgress }: Surroundings): Promise<SplicePackages> {
  const { defaultRelease, releaseOf, spliceReleases } = await import('../../splice/packages/releases.ts')
  const version = flags['splice-version'] ?? defaultRelease
  const release = releaseOf(version)
  if (release === undefined) {
    const known = spliceReleases.map((one) => one.version).join(', ')
    throw new UsageError(`--splice-version: ${version} is not known; there are ${known}`)
  }

  const named = flags['splice-dars']
  const { checkFolder, readReleaseDars } = await import('../../splice/packages/checked-dars.ts')
  if (named !== undefined) checkFolder(release, named)

  async function folder(): Promise<string> {
    if (named !== undefined) return named
    const { bundleUrl, cachedReleaseDars } = await import('../../splice/packages/release-bundle.ts')
    showProgress(`looking for the packages of Splice ${version}…`)
    return cachedReleaseDars(release!, cacheFolder(environment), bundleUrl(release!))
  }

  let dars: Promise<readonly CheckedDar[]> | undefined
  return { release, dars: () => (dars ??= folder().then((path) => readReleaseDars(release, path))) }
}

function cacheFolder(environment: Surroundings['environment']): string {
  return join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tallystick', 'splice')
}

/** Undefined for a ledger in memory, whose tokens end with it. */
function keyFolder({ store }: Settings): string | undefined {
  return store.kind === 'memory' ? undefined : resolve(store.data)
}

/** Undefined for a ledger that has ids or a time of its own. Each kind of network has its file. */
function foundedFile(
  { release }: SplicePackages,
  partyHint: string,
  { seed, time, synchronizers, store, dars }: Settings,
  { environment }: Surroundings,
): string | undefined {
  if (seed !== undefined || time.kind === 'static' || store.kind === 'postgres' || dars.length > 0) return undefined
  const kind = `${release.version}-${partyHint}-${synchronizers!.length}-${ownVersion}`
  return join(cacheFolder(environment), `founded-${kind}.snapshot`)
}

/** A ledger in memory begins as the founded one, if that was kept, and this version can open it. */
async function startParticipants(settings: Settings, founded: string | undefined): Promise<Node> {
  const overrides = { hasQuickstart: false }
  const isKept = settings.store.kind === 'memory' && founded !== undefined && existsSync(founded)
  if (!isKept) return startNode(settings, overrides)
  try {
    return await startNode(settings, { ...overrides, content: readFileSync(founded) })
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return startNode(settings, overrides)
  }
}

/** All ports are chosen together. */
async function started(start: () => Promise<Node>): Promise<Node> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const named = error.message.replace(/--grpc-port|--port|admin\.port/, '--port-offset')
    throw named === error.message ? error : new StartError(named)
  }
}

type Shown = { readonly portOffset: number; readonly hasOidc: boolean }

function banner(node: Node, { network }: Localnet, settings: Settings, { portOffset, hasOidc }: Shown): string {
  const rows: [name: string, value: string][] = [
    ...node.participants.map(({ name, url, grpcUrl }): [string, string] => [name, `${url}, ${grpcUrl}`]),
    ['wallet', `http://wallet.localhost:${2000 + portOffset}, also on ${3000 + portOffset} and ${4000 + portOffset}`],
    ['scan', `http://scan.localhost:${4000 + portOffset}`],
    ...(hasOidc ? [oidcRow(portOffset)] : []),
    ['splice', network.release === undefined ? 'none: participants alone' : network.release.version],
    ['store', node.storeName],
    ['synchronizers', node.synchronizers.join(', ')],
    ['dso', network.dso],
    ['tokens', 'UNSAFE: HS256 with the secret "unsafe", as in LocalNet; for this machine only'],
  ]
  const isOpen = !isLoopback(settings.http.host)
  const warning = isOpen ? `\n  UNSAFE: open to everybody who reaches ${settings.http.host}\n` : ''
  const lines = rows.map(([name, value]) => `  ${name.padEnd(13)}  ${value}`)
  const readyMs = Math.round(performance.now())
  return `tallystick ${ownVersion}\n\n${lines.join('\n')}\n${warning}\n  ready in ${readyMs} ms\n`
}

function oidcRow(portOffset: number): [name: string, value: string] {
  return ['oidc', `http://keycloak.localhost:${8082 + portOffset}/realms/AppProvider and …/AppUser, password abc123`]
}
