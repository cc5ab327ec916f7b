// Daml Scripts of uploaded packages, which a development node runs on its own ledger.

export type UploadedScript = {
  /** `Module:name` */
  readonly name: string
  readonly packageId: string
  readonly packageName: string
  readonly packageVersion: string
  readonly takesArgument: boolean
}

export type ScriptRunOrder = {
  /** `Module:name` */
  readonly name: string
  /** An id, or a name, of which the newest version is meant; empty if the script's name is enough. */
  readonly package: string
  /** The argument as JSON. */
  readonly input: string | undefined
  readonly timeOutMs: number
  /** Who runs it: one script at a time. */
  readonly owner: string
  /** Ends the script. */
  readonly signal?: AbortSignal
}

export type ScriptRun = {
  readonly ms: number
  /** Messages of `debug` and `trace`. */
  readonly traces: readonly string[]
  /** As JSON; undefined if the script failed, or if the type of the result has no such form. */
  readonly result: string | undefined
  /** Undefined if it succeeded; else why not, and where, a line each. */
  readonly failure: readonly string[] | undefined
  /** What has happened on the ledger meanwhile, the last transactions. */
  readonly transactions: readonly MadeTransaction[]
}

export type MadeTransaction = {
  readonly updateId: string
  readonly offset: number
  /** A tree, each node with the parties that see it. */
  readonly tree: string
}

export type Scripts = {
  /** By package and name. */
  list(): Promise<readonly UploadedScript[]>
  run(order: ScriptRunOrder): Promise<ScriptRun>
}
