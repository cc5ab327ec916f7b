// tallystick start: runs a node until it is told to stop.
import { StartError, StopError } from '../../base/errors.ts'
import { startNode } from '../../node.ts'
import { banner, nextSteps } from '../banner.ts'
import type { Command, Surroundings } from '../command.ts'
import { type Flags, loadSettings } from '../config.ts'
import { settingOptions } from '../options.ts'

const adminTokenLifetimeMs = 24 * 60 * 60 * 1000

export const startCommand: Command = {
  summary: 'run a node',
  usage: 'tallystick start [options]',
  options: settingOptions,
  notes: `The most wanted settings without a flag, as environment variables; \`tallystick config\` shows all of them:
  TALLYSTICK_HTTP_HOST_NAMES=ledger            names that clients call a node with --auth off by
  TALLYSTICK_AUTH_ADMINISTRATORS=alice,bob     users that administer the node besides participant_admin
  TALLYSTICK_LIMITS_TOKEN_LIFETIME_MAX_MS=0    tokens of issuers may live as long as they like
  TALLYSTICK_COMPATIBILITY=canton-3.5          Canton wins where the specification says something else
  NO_COLOR=1                                   no colours on a terminal`,
  async run(flags: Flags, surroundings) {
    try {
      await serve(flags, surroundings)
    } catch (error) {
      if (!(error instanceof StopError)) throw error
      surroundings.exit(1) // The log has said what hangs. Whatever was answered is on disk.
    }
  },
}

async function serve(flags: Flags, { environment, print, untilStopped }: Surroundings): Promise<void> {
  const settings = loadSettings(flags, environment)
  await using node = await startNode(settings)
  const readyMs = Math.round(performance.now())
  const stopped = untilStopped() // Before the banner: who reads it may send a signal at once.
  const ready = banner(node, settings, readyMs)
  if (node.issueToken === undefined) print(`${ready}\n${nextSteps(node, settings, undefined)}`)
  else {
    print(ready) // At once: to sign a token takes a moment.
    print(nextSteps(node, settings, await node.issueToken('participant_admin', adminTokenLifetimeMs)))
  }
  const lost = await Promise.race([stopped.then(() => undefined), node.lost])
  if (lost !== undefined) throw new StartError(lost)
  print('stopping…')
}
