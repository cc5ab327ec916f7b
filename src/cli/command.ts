// What a command is: options as data, and a run that is given its surroundings.
import type { OptionTable } from './options.ts'

export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What was asked for, on standard output. */
  print(text: string): void
  /** Settles at the first signal to stop, with its name. */
  untilStopped(): Promise<string>
  /** What the process ends with when the command is done; 0 unless it says so. */
  endWith(code: number): void
  /** Ends the process, whatever is still open. */
  exit(code: number): void
}

export type Command = {
  readonly summary: string
  readonly usage: string
  readonly options: OptionTable
  /** What must stand on the command line beside options. */
  readonly operands?: readonly string[]
  /** What may stand after that. */
  readonly optionalOperands?: readonly string[]
  /** What to know beside the options, for the help. */
  readonly notes?: string
  // biome-ignore lint/suspicious/noExplicitAny: each command names the flags it declares in `options`.
  run(flags: any, surroundings: Surroundings, operands: readonly string[]): Promise<void>
}
