// An answer that is JSON already, as the ledger keeps it: it goes out without being parsed.

export class RenderedJson {
  readonly body: string | Buffer

  constructor(body: string | Buffer) {
    this.body = body
  }
}
