// Hands the command line over to a newer Node (runtime.mjs), for a launcher that runs under an older one. The launcher
// passes signals on and ends as its child does; the child ends with the launcher, however that ends.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMusl, muslHint } from './runtime.mjs'

const entry = fileURLToPath(new URL('./handed-over.mjs', import.meta.url))

/** One press of Ctrl-C may arrive several times within this time. */
const repeatedMs = 500
let firstSignalMs

/** Runs under every Node from 20 on. */
export function handOver(runtime, args) {
  // The child notices the launcher's end by the channel between them, which the operating system closes.
  const child = spawn(runtime, [entry, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  child.on('error', (error) => {
    process.stderr.write(`tallystick: cannot start ${runtime}: ${isMusl() ? muslHint : error.message}\n`)
    process.exit(1)
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => passOn(child, signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/**
 * As a message, which cannot kill: from a terminal the child has got the signal itself, and may be at its very end. A
 * child that does not listen by the time of the next signal is sent the signal itself.
 */
function passOn(child, signal) {
  firstSignalMs ??= performance.now()
  if (performance.now() - firstSignalMs < repeatedMs) child.send(signal, () => undefined)
  else child.kill(signal)
}
