// The command line when a launcher started it (hand-over.mjs): signals arrive as messages, and when the launcher ends
// for any reason, this process stops as at SIGTERM. Otherwise a killed launcher would leave a node behind that holds
// the port and the data folder.
import { constants } from 'node:os'

function receive(signal) {
  const isHandled = process.emit(signal, signal)
  if (!isHandled) process.exit(128 + (constants.signals[signal] ?? 0))
}

// Among several processes behind a port there are other messages, too.
process.on('message', (message) => typeof message === 'string' && receive(message))
process.on('disconnect', () => receive('SIGTERM'))
process.channel?.unref() // The channel must not keep the process alive.

await import('./tallystick')
