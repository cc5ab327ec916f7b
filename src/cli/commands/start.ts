// tallystick start: runs a node until a signal stops it.
import type { Settings } from '../../base/settings.ts'
import { startNode } from '../../node/node.ts'
import { banner, nextSteps } from '../banner.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { type Flags, loadSettings } from '../config.ts'
import { leaveRecordOf } from '../node-record.ts'
import type { OneOfSeveral } from '../one-of-several.ts'
import { type OidcFlags, oidcOptions, settingOptions } from '../options.ts'
import { serving, untilStoppedOrLost } from '../serving.ts'

const adminTokenLifetimeMs = 24 * 60 * 60 * 1000

export const startCommand: Command = {
  summary: 'run a node',
  usage: 'tallystick start [options]',
  options: { ...settingOptions, ...oidcOptions },
  notes: `Frequently used settings without a flag, as environment variables; \`tallystick config\` shows all settings:
  TALLYSTICK_HTTP_HOST_NAMES=ledger            host names that a node with --auth off answers to
  TALLYSTICK_AUTH_ADMINISTRATORS=alice,bob     administrators besides participant_admin
  TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS=0    no limit on the lifetime of tokens
  TALLYSTICK_COMPATIBILITY=canton-3.5          follow Canton where it differs from the specification
  NO_COLOR=1                                   no colours on a terminal`,
  async run(flags: Flags & OidcFlags, surroundings) {
    await serving(() => serve(flags, surroundings), surroundings)
  },
}

async function serve(flags: Flags & OidcFlags, surroundings: Surroundings): Promise<void> {
  const settings = loadSettings(flags, surroundings.environment)
  if (settings.processes === 1 || flags.oidc) return serveAlone(settings, flags, surroundings)
  const { asOneOfSeveral } = await import('../one-of-several.ts')
  const place = asOneOfSeveral(surroundings.environment)
  if (place !== undefined) return serveAmongOthers(settings, surroundings, place)
  const { runProcesses } = await import('../processes.ts')
  return runProcesses(settings, surroundings)
}

async function serveAmongOthers(common: Settings, { untilStopped }: Surroundings, place: OneOfSeveral): Promise<void> {
  const settings = place.settingsOf(common)
  await using node = await startNode(settings, { metricsOfAll: place.metricsOfAll })
  const stopped = untilStopped()
  const ready = banner(node, settings, Math.round(performance.now()))
  place.ready(`${ready}\n${nextSteps(node, settings, undefined)}`, node)
  await untilStoppedOrLost(stopped, node)
}

/** With an issuer beside the node, if the flags ask for one. */
export async function serveAlone(
  wanted: Settings,
  flags: OidcFlags,
  { print, untilStopped }: Surroundings,
): Promise<void> {
  await using oidc = await issuerFor(flags, wanted)
  const settings = oidc?.settings ?? wanted
  await using node = await startNode(settings)
  const readyMs = Math.round(performance.now())
  const stopped = untilStopped() // Before the banner, because a signal may follow it at once.
  using _record = leaveRecordOf(node, settings, print)
  const ready = banner(node, settings, readyMs, oidc?.description)
  if (node.issueToken === undefined) print(`${ready}\n${nextSteps(node, settings, undefined)}`)
  else {
    print(ready) // First, because signing a token takes a moment.
    print(nextSteps(node, settings, await node.issueToken('participant_admin', adminTokenLifetimeMs)))
  }
  await untilStoppedOrLost(stopped, node)
  print('stopping…')
}

async function issuerFor(flags: OidcFlags, settings: Settings) {
  const unused = ['oidc-port', 'oidc-realm', 'unsafe'] as const
  if (!flags.oidc) {
    const name = unused.find((one) => flags[one] !== undefined)
    if (name !== undefined) throw new UsageError(`--${name} is only for --oidc`)
    return undefined
  }
  const { openOidcIssuer } = await import('../oidc-issuer.ts')
  return openOidcIssuer(flags, settings)
}
