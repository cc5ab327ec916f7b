// tallystick sandbox: a node that takes the place of Canton's sandbox, with its flags, ports, names and last lines.
import { renameSync, writeFileSync } from 'node:fs'
import { StartError } from '../../base/errors.ts'
import { ownVersion } from '../../base/version.ts'
import { type Node, type ServedParticipant, startNode } from '../../node/node.ts'
import type { Command, Surroundings } from '../command.ts'
import { leaveRecordOf } from '../node-record.ts'
import { refusedOptions, sandboxOptions } from '../sandbox/sandbox-options.ts'
import { readSandbox, type SandboxFlags, sandboxName } from '../sandbox/sandbox-settings.ts'
import { serving, untilStoppedOrLost } from '../serving.ts'

export const sandboxCommand: Command = {
  summary: "run a node in the place of Canton's sandbox (dpm sandbox, daml sandbox)",
  usage: 'tallystick sandbox [options]',
  options: sandboxOptions,
  refused: refusedOptions,
  notes: `The ledger is in memory, nobody needs a token, and the ports are open to this machine only. The participant is called
sandbox, its synchronizer synchronizer-1. With --multi-sync there are also pebblebox (7864, 7865, 7866) and sidebox (8864, 8865,
8866), and synchronizer-2, the only one that sidebox is connected to. Flags of Canton that are not listed are refused, with
what to use instead.`,
  async run(flags: SandboxFlags, surroundings) {
    await serving(() => serve(flags, surroundings), surroundings)
  },
}

async function serve(flags: SandboxFlags, surroundings: Surroundings): Promise<void> {
  const { print, tell, untilStopped, untilInputCloses } = surroundings
  const { settings, portFiles } = readSandbox(flags, surroundings.environment)
  print(`Starting Canton sandbox (tallystick ${ownVersion}).`)
  await using node = await started(() => startNode(settings, { hasQuickstart: false }))
  const stopped = untilStopped() // Before the last line, because a signal may follow it at once.
  using _record = leaveRecordOf(node, settings, tell)
  const explorer = node.explorerLink()
  if (explorer !== undefined) print(`explorer at ${explorer}`)
  const ports = new Map(node.participants.map((participant) => [participant.name, portsOf(participant)]))
  if (flags['port-file'] !== undefined) writePortFile(flags['port-file'], String(ports.get(sandboxName)!.ledgerApi))
  for (const [name, file] of portFiles.jsonApi) writePortFile(file, `${ports.get(name)!.jsonApi}\n`)
  if (portFiles.all !== undefined) {
    writePortFile(portFiles.all, `${JSON.stringify(Object.fromEntries(ports), undefined, 2)}\n`)
  }
  // Canton's order.
  for (const [name, { ledgerApi, jsonApi }] of [...ports].reverse()) {
    print(`${name} listening at ports: ${ledgerApi}(gRPC) and ${jsonApi}(HTTP)`)
  }
  print('Canton sandbox is ready.')
  if (flags['exit-after-bootstrap']) return
  const asked = flags['shutdown-stdin-close'] ? Promise.race([stopped, untilInputCloses()]) : stopped
  await untilStoppedOrLost(asked, node)
}

/** A port that is taken is chosen by another flag than that of `start`. */
async function started(start: () => Promise<Node>): Promise<Node> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const flags: [setting: string, flag: string][] = [
      ['--grpc-port', '--ledger-api-port'],
      ['admin.port', '--admin-api-port'],
      ['--port', '--json-api-port'],
    ]
    const named = flags.reduce((text, [setting, flag]) => text.replace(setting, flag), error.message)
    throw named === error.message ? error : new StartError(named)
  }
}

function portsOf({ url, grpcUrl, adminUrl }: ServedParticipant) {
  const portOf = (address: string) => Number(new URL(address).port)
  return { ledgerApi: portOf(grpcUrl!), adminApi: portOf(adminUrl!), jsonApi: portOf(url) }
}

/** Scripts wait for the file, so it is there as a whole or not at all. */
function writePortFile(file: string, text: string): void {
  try {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  } catch (error) {
    throw new StartError(`cannot write the port file: ${(error as Error).message}`)
  }
}
