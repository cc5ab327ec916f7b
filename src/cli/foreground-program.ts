// A program that a command runs in its place: it has the terminal and the signals, and its end decides the exit code.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Surroundings } from './command.ts'
import type { StopSignal } from './stop-signals.ts'

/** As a shell answers: the program was not found, or it cannot be run. */
const notFound = 127
const notRunnable = 126

type Program = {
  readonly words: readonly string[]
  readonly environment: Surroundings['environment']
}

export type RunningProgram = {
  /** Its exit code; 128 and the number of the signal that ended it. */
  readonly ended: Promise<number>
  stop(signal: StopSignal): void
}

/** Says why if the program cannot be run. */
export function runProgram({ words, environment }: Program, { hasTerminal, tell }: Surroundings): RunningProgram {
  const [program, ...args] = words
  const child = spawn(program!, args, { stdio: 'inherit', env: environment })
  const { promise: ended, resolve } = Promise.withResolvers<number>()
  child.on('error', (error: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return // It runs, and a signal could not be sent.
    const isMissing = error.code === 'ENOENT'
    tell(`tallystick: cannot run ${program}: ${isMissing ? 'there is no such program' : (error.code ?? error.message)}`)
    resolve(isMissing ? notFound : notRunnable)
  })
  child.on('exit', (code, signal) => resolve(code ?? codeOf(signal!)))
  return {
    ended,
    stop(signal) {
      // The terminal has sent Ctrl-C to the program as well. A second one would force many programs to end at once.
      if (signal !== 'SIGINT' || !hasTerminal) child.kill(signal)
    },
  }
}

/** The exit code that stands for a signal. */
export function codeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}
