// An answer that is JSON already, as the ledger stores it: it is sent without parsing.

export class RenderedJson {
  readonly body: string | Buffer

  constructor(body: string | Buffer) {
    this.body = body
  }
}
