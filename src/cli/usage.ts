// What is wrong with a command line: said in one line, and the process ends with 2.

export class UsageError extends Error {}
