// The command line as a launcher started it (hand-over.mjs): signals come as messages, and when the launcher is gone,
// whatever ended it, this process stops as at SIGTERM. A killed launcher would otherwise leave a node behind that holds
// the port and the data folder.
import { constants } from 'node:os'

function receive(signal) {
  const isHandled = process.emit(signal, signal)
  if (!isHandled) process.exit(128 + (constants.signals[signal] ?? 0))
}

process.on('message', receive)
process.on('disconnect', () => receive('SIGTERM'))
process.channel?.unref() // The channel alone keeps no process alive.

await import('./tallystick')
