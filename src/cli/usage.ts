// A mistake in a command line: reported in one line, exit code 2.

export class UsageError extends Error {
  constructor(message: string) {
    super(message.replaceAll(/\p{Cc}+/gu, ' ')) // The message may repeat a name from a file, with line breaks.
  }
}
