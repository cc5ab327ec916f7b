// tallystick start: runs a node until it is told to stop.
import { StartError } from '../../base/errors.ts'
import { isDevelopment } from '../../base/settings.ts'
import { ownVersion } from '../../base/version.ts'
import { type Node, startNode } from '../../node.ts'
import type { Command } from '../command.ts'
import { type Flags, loadSettings } from '../config.ts'
import { settingOptions } from '../options.ts'

const adminTokenLifetimeMs = 24 * 60 * 60 * 1000

export const startCommand: Command = {
  summary: 'run a node',
  usage: 'tallystick start [options]',
  options: settingOptions,
  async run(flags: Flags, { environment, print, untilStopped }) {
    const settings = loadSettings(flags, environment)
    await using node = await startNode(settings)
    const readyMs = Math.round(performance.now())
    print(banner(node, readyMs))
    if (isDevelopment(settings) && node.issueToken !== undefined) {
      print(await firstSteps(node, await node.issueToken('participant_admin', adminTokenLifetimeMs)))
    }
    const lost = await Promise.race([untilStopped(), node.lost])
    if (lost !== undefined) throw new StartError(lost)
    print('stopping…')
  },
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
