// A command: its options as data, and a function that gets its environment as parameters.
import type { OptionTable } from './options.ts'
import type { StopSignal } from './stop-signals.ts'

export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Writes to standard output. */
  print(text: string): void
  /** Writes a line to standard error. */
  tell(text: string): void
  /** Tells people what is going on, while the result is on its way: a line on standard error, if that is a terminal. */
  showProgress(text: string): void
  /** The same as one line that changes, until it is empty; what is printed meanwhile comes after an empty one. */
  showStatus(text: string): void
  /** The columns of the terminal that standard output is; undefined if it is none. */
  readonly width: number | undefined
  /** Everything on standard input. */
  readInput(): Promise<string>
  /** Settles when standard input is closed; what it brings is dropped. */
  untilInputCloses(): Promise<void>
  /** Settles with the name of the first stop signal. */
  untilStopped(): Promise<string>
  /** Calls the listener at each stop signal, instead of ending the process. */
  onStopSignals(listener: (signal: StopSignal) => void): void
  /** Whether standard input is a terminal. It sends Ctrl-C to all programs in the foreground. */
  readonly hasTerminal: boolean
  /** Settles when nobody reads standard output any longer. */
  readonly outputClosed: Promise<void>
  /** Sets the exit code for when the command is done; 0 by default. */
  endWith(code: number): void
  /** Ends the process at once. */
  exit(code: number): void
}

export type RefusedOptions = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string; readonly instead: string }>
>

export type Command = {
  readonly summary: string
  readonly usage: string
  readonly options: OptionTable
  /** Required operands. */
  readonly operands?: readonly string[]
  /** Optional operands after the required ones. */
  readonly optionalOperands?: readonly string[]
  /** Words after the operands, any number of them. */
  readonly furtherOperands?: string
  /** What comes after `--`, any number of words and at least one, if the command takes that instead of operands. */
  readonly afterDashes?: string
  /** The words that an operand may be, for completion. */
  readonly operandWords?: readonly string[]
  /** Options that another program has and this command refuses, each with what to use instead. */
  readonly refused?: RefusedOptions
  /** Additional text for the help. */
  readonly notes?: string
  // biome-ignore lint/suspicious/noExplicitAny: each command names the flags it declares in `options`.
  run(flags: any, surroundings: Surroundings, operands: readonly string[]): Promise<void>
}

/** A mistake in a command line: reported in one line, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message.replaceAll(/\p{Cc}+/gu, ' ')) // The message may repeat a name from a file, with line breaks.
  }
}
