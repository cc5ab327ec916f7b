// tallystick exec: runs a command beside a development node of its own, which ends with the command.
import { StartError, StopError } from '../../base/errors.ts'
import type { Settings } from '../../base/settings.ts'
import { type Node, startNode } from '../../node/node.ts'
import type { Command, Surroundings } from '../command.ts'
import { type Flags, loadSettings } from '../config.ts'
import { environmentFor } from '../exec-environment.ts'
import { codeOf, type RunningProgram, runProgram } from '../foreground-program.ts'
import { leaveRecordOf } from '../node-record.ts'
import { settingOptions } from '../options.ts'
import type { StopSignal } from '../stop-signals.ts'

/** The node cannot start, or it lost its database: a code that few commands end with. */
const nodeFailed = 125

export const execCommand: Command = {
  summary: 'run a command beside a development node of its own, such as the tests of a project',
  usage: 'tallystick exec [options] -- COMMAND…',
  afterDashes: 'COMMAND',
  options: {
    ...settingOptions,
    port: { ...settingOptions.port, help: 'port to listen on (any free one)' },
    data: { ...settingOptions.data, help: 'keep the ledger in a SQLite file in this folder (in memory)' },
    memory: { ...settingOptions.memory, help: 'keep the ledger in memory; so it is without a store' },
    'log-level': { ...settingOptions['log-level'], help: 'trace, debug, info, warn, error or silent (warn)' },
  },
  notes: `The node stops when the command has ended. The command finds in its environment:
  TALLYSTICK_URL           where the node is; other tallystick commands look there, too
  TALLYSTICK_URL_BANK      where the participant bank of a network is
  TALLYSTICK_TOKEN         the token of an administrator, which may also act as every party
  TALLYSTICK_PARTY_ALICE   the id of the party alice of the world file
  TALLYSTICK_TOKEN_ALICE   the token of the user alice of the world file, or one that acts as the party;
                           TALLYSTICK_TOKEN_BANK_ALICE if several participants have such a user
Names are in upper case, and signs other than letters and digits are underscores.

Exits as the command does: 128 and its number for a signal, 127 if there is no such command, 126 if it cannot be run;
125 if the node cannot start.`,
  async run(flags: Flags, surroundings, words) {
    const settings = settingsFrom(flags, surroundings.environment)
    try {
      surroundings.endWith(await runBeside(settings, words, surroundings))
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      surroundings.tell(`tallystick: the node cannot start: ${error.message}`)
      surroundings.endWith(nodeFailed)
    }
  },
}

/** Nothing but flags chooses a port and a store: tests must not end up on the ledger that a file of settings names. */
function settingsFrom(flags: Flags, environment: Surroundings['environment']): Settings {
  const hasStore = flags.data !== undefined || flags.postgres !== undefined
  const { port = '0', 'grpc-port': grpcPort = 'off', 'log-level': level = 'warn' } = flags
  const given = { ...flags, port, 'grpc-port': grpcPort, 'log-level': level, ...(!hasStore && { memory: true }) }
  return { ...loadSettings(given, environment), development: true }
}

/** The exit code of the command. */
async function runBeside(settings: Settings, words: readonly string[], surroundings: Surroundings): Promise<number> {
  let running: RunningProgram | undefined
  let stopped: StopSignal | undefined
  surroundings.onStopSignals((signal) => {
    stopped ??= signal
    running?.stop(signal)
  })
  const node = await startNode(settings)
  let code: number
  try {
    // A node in memory leaves no trace of itself.
    using _record = settings.store.kind === 'memory' ? undefined : leaveRecordOf(node, settings, surroundings.tell)
    const environment = await environmentFor(node, surroundings.environment)
    if (stopped !== undefined) return codeOf(stopped)
    running = runProgram({ words, environment }, surroundings)
    code = await Promise.race([running.ended, lossOf(node, running, surroundings)])
  } finally {
    await stop(node)
  }
  return code
}

async function lossOf(node: Node, running: RunningProgram, { tell }: Surroundings): Promise<number> {
  const reason = await node.lost
  tell(`tallystick: ${reason}`)
  running.stop('SIGTERM')
  await running.ended
  return nodeFailed
}

async function stop(node: Node): Promise<void> {
  try {
    await node[Symbol.asyncDispose]()
  } catch (error) {
    if (!(error instanceof StopError)) throw error // The log has named the part that hangs.
  }
}
