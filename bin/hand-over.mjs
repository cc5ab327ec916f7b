// Hands the command line over to a newer Node (runtime.mjs), for a launcher that runs under an older one. The launcher
// forwards signals and exits with its child's code; the child stops when the launcher ends for any reason.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMusl, muslHint } from './runtime.mjs'

const entry = fileURLToPath(new URL('./handed-over.mjs', import.meta.url))

/** One Ctrl-C may arrive several times within this time. */
const repeatedMs = 500
let firstSignalMs

/** Works under every Node from 20 on. */
export function handOver(runtime, args) {
  // The operating system closes this channel when the launcher ends; that is how the child notices.
  const child = spawn(runtime, [entry, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  child.on('error', (error) => {
    process.stderr.write(`tallystick: cannot start ${runtime}: ${isMusl() ? muslHint : error.message}\n`)
    process.exit(1)
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => passOn(child, signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/**
 * Sends a message, because a real signal could kill the child: a terminal signals the child directly, too, and it may
 * be finishing already. A later signal is sent as a signal, in case the child does not listen.
 */
function passOn(child, signal) {
  firstSignalMs ??= performance.now()
  if (performance.now() - firstSignalMs < repeatedMs) child.send(signal, () => undefined)
  else child.kill(signal)
}
