// tallystick start: runs a node until it is told to stop.
import { StartError, StopError } from '../../base/errors.ts'
import { isDevelopment } from '../../base/settings.ts'
import { ownVersion } from '../../base/version.ts'
import { type Node, startNode } from '../../node.ts'
import type { Command, Surroundings } from '../command.ts'
import { type Flags, loadSettings } from '../config.ts'
import { settingOptions } from '../options.ts'

const adminTokenLifetimeMs = 24 * 60 * 60 * 1000

export const startCommand: Command = {
  summary: 'run a node',
  usage: 'tallystick start [options]',
  options: settingOptions,
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
  print(banner(node, readyMs))
  if (isDevelopment(settings) && node.issueToken !== undefined) {
    print(await firstSteps(node, await node.issueToken('participant_admin', adminTokenLifetimeMs)))
  }
  const lost = await Promise.race([stopped.then(() => undefined), node.lost])
  if (lost !== undefined) throw new StartError(lost)
  print('stopping…')
}

function banner(node: Node, readyMs: number): string {
  return `tallystick ${ownVersion}

  url          ${node.url}
  docs         ${node.url}/docs
  store        ${node.storeName}
  tokens       ${node.tokenCheck}
  participant  ${node.participantId}${node.dars.length === 0 ? '' : `\n  packages     ${node.dars.join(', ')}`}

  ready in ${readyMs} ms
`
}

async function firstSteps(node: Node, token: string): Promise<string> {
  return `  admin token (user participant_admin, valid for a day; \`tallystick token\` makes more):
  ${token}

  try:
  curl -H 'Authorization: Bearer ${token}' ${node.url}/v2/users
`
}
