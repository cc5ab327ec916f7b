// An answer that is JSON already, as the ledger keeps it: it goes out without being parsed.

export class RenderedJson {
  readonly bytes: Buffer

  constructor(...parts: readonly (string | Buffer)[]) {
    this.bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  }
}
