// The test kit as its users see it. This file imports nothing, because its declarations are published.

/** A template or interface of `tallystick codegen`, or just its id. */
export type TemplateRef = { readonly templateId: string; readonly describes?: Described } | string

type Described = {
  readonly payload: unknown
  readonly choices: { readonly [choice: string]: { readonly argument: unknown; readonly result: unknown } }
}

type DescriptionOf<T> = T extends { readonly describes?: infer D } ? NonNullable<D> : never

// biome-ignore lint/suspicious/noExplicitAny: without generated types, values are whatever JSON they are.
type Untyped = any

export type PayloadOf<T> = [DescriptionOf<T>] extends [never]
  ? Untyped
  : DescriptionOf<T> extends { readonly payload: infer P }
    ? P
    : Untyped
export type ChoiceOf<T> = [DescriptionOf<T>] extends [never]
  ? string
  : DescriptionOf<T> extends { readonly choices: infer C }
    ? keyof C & string
    : string
export type ArgumentOf<T, C> = [DescriptionOf<T>] extends [never]
  ? Untyped
  : DescriptionOf<T> extends { readonly choices: infer All }
    ? C extends keyof All
      ? All[C] extends { readonly argument: infer A }
        ? A
        : Untyped
      : Untyped
    : Untyped
export type ResultOf<T, C> = [DescriptionOf<T>] extends [never]
  ? Untyped
  : DescriptionOf<T> extends { readonly choices: infer All }
    ? C extends keyof All
      ? All[C] extends { readonly result: infer R }
        ? R
        : Untyped
      : Untyped
    : Untyped

export type NodeOptions = {
  /** DAR files to upload, besides the quickstart package. */
  readonly dars?: readonly string[]
  /** Keeps the ledger in this folder; in memory by default. */
  readonly data?: string
  /** The same ids every time. */
  readonly seed?: string
  /** Time stands still at this time until it is moved. */
  readonly staticTime?: string
  /** A free one by default. */
  readonly port?: number
  /** Lowest level of the log on standard error; silent by default. */
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

export type Acting = {
  readonly actAs: string | readonly string[]
  readonly readAs?: string | readonly string[]
  /** A new one by default. */
  readonly commandId?: string
  /** Contracts that the submitter does not see: `createdEventBlob` and `synchronizerId` as read. */
  readonly disclosedContracts?: readonly object[]
}

export type Contract<T> = {
  readonly contractId: string
  readonly templateId: string
  readonly payload: PayloadOf<T>
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  readonly offset: number
}

export type Rights = {
  readonly actAs?: string | readonly string[]
  readonly readAs?: string | readonly string[]
  readonly admin?: boolean
  /** The user of the token; a new one by default. */
  readonly userId?: string
}

/** A fault for submissions to meet, with one of `fail`, `delayMs`, `loseAnswer` and `endStreams`. */
export type FaultOrder = {
  /** All submissions by default. A template may be only `Module:Entity`. */
  readonly match?: { readonly templateId?: string; readonly commandId?: string; readonly userId?: string }
  /** Strikes at each n-th match; 1 by default. */
  readonly every?: number
  /** So many times; 1 by default, 0 until it is cancelled. */
  readonly times?: number
  readonly fail?: { readonly code: string; readonly message?: string }
  readonly delayMs?: number
  /** Commits, and closes the connection instead of answering. */
  readonly loseAnswer?: boolean
  readonly endStreams?: boolean
}

/** A submission that was refused, or rejected at commit. */
export type Rejection = {
  readonly number: number
  readonly operation: 'submit' | 'prepare' | 'execute' | 'reassign'
  readonly userId: string
  readonly commandId: string
  readonly actAs: readonly string[]
  /** As they were sent; null if they were too large to keep. */
  readonly commands: readonly Untyped[] | null
  readonly reassignments: readonly Untyped[] | null
  readonly code: string
  readonly cause: string
  readonly where: {
    readonly choice: string | null
    readonly definition: string | null
    readonly location: string | null
    readonly exercises: readonly string[]
  }
}

/** A refusal of the node. */
export interface Refusal extends Error {
  readonly status: number
  /** Canton's error code, such as CONTRACT_NOT_FOUND. */
  readonly code: string
  /** What to do instead, if the node can tell. */
  readonly hint: string | undefined
  readonly context: Readonly<Record<string, string>>
}

/** A node in this process. Nodes of one process share the engine's threads and what these have compiled. */
export interface TestNode extends AsyncDisposable {
  readonly url: string
  readonly participantId: string
  /** Allocates a party, or returns the one that was allocated with this hint. */
  party(hint: string): Promise<string>
  /** A token for a user with just these rights. */
  token(rights: Rights): Promise<string>
  /** A file, or its content. With `replace`, a rebuilt package takes the place of the one with its name and version. */
  upload(dar: string | Uint8Array, options?: { readonly replace?: boolean }): Promise<void>
  create<T extends TemplateRef>(template: T, payload: PayloadOf<T>, acting: Acting): Promise<Contract<T>>
  /** Returns the result of the choice. */
  exercise<T extends TemplateRef, C extends ChoiceOf<T>>(
    template: T,
    contractId: string,
    choice: C,
    argument: ArgumentOf<T, C>,
    acting: Acting,
  ): Promise<ResultOf<T, C>>
  /** Any commands as JSON; returns the transaction as the submitters see it, with all events. */
  submit(commands: object | readonly object[], acting: Acting): Promise<Untyped>
  /** Active contracts, of all parties or of some. */
  contracts<T extends TemplateRef>(template: T, parties?: string | readonly string[]): Promise<readonly Contract<T>[]>
  /** Returns the name of the snapshot. */
  snapshot(name?: string): Promise<string>
  restore(name: string): Promise<void>
  /** Back to just after the start. */
  reset(): Promise<void>
  /** Moves the time forward by P1D, PT1H30M, 30d, 12h, 15m or 90s; returns the time. */
  advanceTime(duration: string): Promise<string>
  time(): Promise<string>
  /** Lets submissions fail, take long or lose their answer, or streams end; returns the id of the fault. */
  orderFault(order: FaultOrder): Promise<number>
  /** Cancels a fault, or all. Restoring or resetting the ledger cancels all. */
  cancelFaults(id?: number): Promise<void>
  /** Submissions that were refused or rejected since the ledger was restored or reset, oldest first. */
  rejections(): Promise<readonly Rejection[]>
  /** Any request with full rights; throws a Refusal unless it succeeds. */
  call(method: string, path: string, body?: unknown): Promise<Untyped>
  close(): Promise<void>
}

/** Starts a node in this process. Close it when the test is over. */
export type StartNode = (options?: NodeOptions) => Promise<TestNode>

// ── Fixtures

/** The functions of a test runner: those of node:test, Vitest or Jest. */
export type Hooks = {
  readonly before?: Register
  readonly beforeAll?: Register
  readonly after?: Register
  readonly afterAll?: Register
  readonly beforeEach: Register
}

type Register = (run: () => Promise<void>) => unknown

export type UseOptions = NodeOptions & {
  /** Runs once, before the first test; each test begins with the ledger that it leaves. */
  readonly setup?: (node: TestNode) => Promise<void>
  /** 'test' (the default): each test has the ledger of `setup`; 'file': tests share one. */
  readonly fresh?: 'test' | 'file'
}

/** One node for the tests of a file. Call it at the top of the file, and the result inside tests. */
export type UseNode = (hooks: Hooks, options?: UseOptions) => () => TestNode
