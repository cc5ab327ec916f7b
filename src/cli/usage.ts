// What is wrong with a command line: said in one line, and the process ends with 2.

export class UsageError extends Error {
  constructor(message: string) {
    super(message.replaceAll(/\p{Cc}+/gu, ' ')) // It may repeat a name from a file, line breaks and all.
  }
}
