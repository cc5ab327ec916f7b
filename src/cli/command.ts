// What a command is: options as data, and a run that is given its surroundings.
import type { OptionTable } from './options.ts'

export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  print(text: string): void
  /** Settles at the first signal to stop, with its name. */
  untilStopped(): Promise<string>
  /** Ends the process, whatever is still open. */
  exit(code: number): void
}

export type Command = {
  readonly summary: string
  readonly usage: string
  readonly options: OptionTable
  /** What must stand on the command line beside options. */
  readonly operands?: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: each command names the flags it declares in `options`.
  run(flags: any, surroundings: Surroundings, operands: readonly string[]): Promise<void>
}
