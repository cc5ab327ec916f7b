// The test kit as its users see it. This file imports nothing, because its declarations are published.
/// <reference lib="esnext.disposable" />

/** A template of `tallystick codegen`, or just its id. */
export type TemplateRef = { readonly templateId: string; readonly describes?: Described } | string
/** An interface of `tallystick codegen`. Contracts that are read through it have its view as their payload. */
export type InterfaceRef = { readonly interfaceId: string; readonly describes?: DescribedInterface }
export type TemplateOrInterface = TemplateRef | InterfaceRef

type Choices = { readonly [choice: string]: { readonly argument: unknown; readonly result: unknown } }
type Described = { readonly payload: unknown; readonly choices: Choices }
type DescribedInterface = { readonly view: unknown; readonly choices: Choices }

type DescriptionOf<T> = T extends { readonly describes?: infer D } ? NonNullable<D> : never

// biome-ignore lint/suspicious/noExplicitAny: without generated types, values are whatever JSON they are.
type Untyped = any

export type PayloadOf<T> = [DescriptionOf<T>] extends [never]
  ? Untyped
  : DescriptionOf<T> extends { readonly payload: infer P }
    ? P
    : DescriptionOf<T> extends { readonly view: infer V }
      ? V
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
  /** A world file: packages, parties, users and contracts that the ledger begins with. */
  readonly world?: string
  /** Keeps the ledger in this folder; in memory by default. */
  readonly data?: string
  /** The same ids every time. */
  readonly seed?: string
  /**
   * 'wall' (the default) follows the clock of the computer. 'static' stands still, in 1970, until it is moved; a time
   * such as '2030-01-01T00:00:00Z' stands still there.
   */
  readonly time?: 'wall' | 'static' | (string & {})
  /** Of the JSON Ledger API; a free one by default. */
  readonly port?: number
  /** Serves gRPC as well, on this port; 0 takes a free one, which `grpcUrl` names. */
  readonly grpcPort?: number
  /** Lowest level of the log on standard error; silent by default. */
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info' | 'debug'
}

/** One party or several, by their ids. */
export type Parties = string | readonly string[]

export type Submitting = {
  readonly readAs?: Parties
  /** A new one by default. */
  readonly commandId?: string
  /** Contracts that the submitter does not see: `createdEventBlob` and `synchronizerId` as read. */
  readonly disclosedContracts?: readonly object[]
}

export type Acting = Submitting & { readonly actAs: Parties }

export type Contract<T> = {
  readonly contractId: string
  readonly templateId: string
  readonly payload: PayloadOf<T>
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  readonly offset: number
}

/** What happened: a transaction as its readers see it. */
export type Transaction = {
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly offset: number
  readonly effectiveAt: string
  readonly recordTime: string
  readonly synchronizerId: string
  /** In the order of execution; what happens in a choice follows it. Each has its kind as the only key. */
  readonly events: readonly Untyped[]
}

/** What commands would do: everything that happens, by node id, and what it depends on. */
export type DryRun = {
  readonly synchronizerId: string
  readonly ledgerTime: string
  /** The nodes of the commands, in order. */
  readonly roots: readonly number[]
  /** `{ Create: { nodeId, … } }`, also `Exercise`, `Fetch`, `QueryByKey` and `Rollback`. */
  readonly nodes: readonly Untyped[]
  readonly contractsRead: readonly string[]
  readonly packages: readonly string[]
  /** Messages of Daml's trace and debug. */
  readonly traces: readonly string[]
}

export type Reading = {
  /** Reads as these; as all parties by default. */
  readonly parties?: Parties
}

export type Following = {
  /** Begins after this offset; with the first update of the ledger by default. */
  readonly after?: number
  /** Only events of these templates and interfaces. */
  readonly templates?: readonly TemplateOrInterface[]
}

export type Waiting = {
  /** Milliseconds; 10 seconds by default. */
  readonly timeout?: number
}

export type Snapshot = {
  readonly name: string
  readonly takenAt: string
  readonly offset: number
  readonly bytes: number
}

export type Rights = {
  readonly actAs?: Parties
  readonly readAs?: Parties
  readonly admin?: boolean
  /** The user of the token; a new one by default. */
  readonly userId?: string
}

export type ScriptOptions = {
  /** The argument of the script, as the JSON API has values. */
  readonly input?: unknown
  /** The name of its package; needed only if several have a script of this name. */
  readonly package?: string
}

/** A fault for submissions to meet, with one of `fail`, `delayMs`, `loseAnswer` and `endStreams`. */
export type FaultOrder = {
  /** All submissions by default. A template may be only `Module:Entity`. */
  readonly match?: {
    readonly templateId?: string
    readonly commandId?: string
    readonly userId?: string
    /** Of a network: where they are submitted. `orderFault` of a participant says so itself. */
    readonly participant?: string
  }
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
  /** What to do instead, if the node can tell. */
  readonly hint: string | null
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

/** Submits commands and reads as some parties. What they do not see, it does not see. */
export interface PartyView {
  readonly parties: readonly string[]
  create<T extends TemplateRef>(template: T, payload: PayloadOf<T>, options?: Submitting): Promise<Contract<T>>
  /** Returns the result of the choice. */
  exercise<T extends TemplateOrInterface, C extends ChoiceOf<T>>(
    template: T,
    contractId: string,
    choice: C,
    argument: ArgumentOf<T, C>,
    options?: Submitting,
  ): Promise<ResultOf<T, C>>
  /** Any commands as JSON. */
  submit(commands: object | readonly object[], options?: Submitting): Promise<Transaction>
  dryRun(commands: object | readonly object[], options?: Submitting): Promise<DryRun>
  contracts<T extends TemplateOrInterface>(template: T): Promise<readonly Contract<T>[]>
  contract<T extends TemplateOrInterface>(template: T, wanted?: Wanted<T>, options?: Waiting): Promise<Contract<T>>
  updates(options?: Following): AsyncIterableIterator<Transaction>
}

/** Whether a contract is the one that is waited for. */
export type Wanted<T> = (payload: PayloadOf<T>, contract: Contract<T>) => boolean

/**
 * A node for tests. On Node 26 and newer it runs in the process of the tests, otherwise in a child that ends with it.
 * Nodes of one process share the engine's threads and what these have compiled.
 */
export interface TestNode extends AsyncDisposable {
  readonly url: string
  /** Undefined unless `grpcPort` was given. */
  readonly grpcUrl: string | undefined
  readonly participantId: string
  /** Allocates a party, or returns the one that was allocated with this hint. */
  party(hint: string): Promise<string>
  /** A token for a user with just these rights. */
  token(rights: Rights): Promise<string>
  /** A file, or its content. With `replace`, a rebuilt package takes the place of the one with its name and version. */
  upload(dar: string | Uint8Array, options?: { readonly replace?: boolean }): Promise<void>
  /**
   * Runs a Daml Script of an uploaded package, `Module:name`, on the ledger as it is; returns its result. A failure is thrown
   * with its place and what the script had done.
   */
  runScript(name: string, options?: ScriptOptions): Promise<Untyped>
  /** Submits and reads as these parties. */
  as(parties: Parties): PartyView
  create<T extends TemplateRef>(template: T, payload: PayloadOf<T>, acting: Acting): Promise<Contract<T>>
  /** Returns the result of the choice. */
  exercise<T extends TemplateOrInterface, C extends ChoiceOf<T>>(
    template: T,
    contractId: string,
    choice: C,
    argument: ArgumentOf<T, C>,
    acting: Acting,
  ): Promise<ResultOf<T, C>>
  /** Any commands as JSON; returns the transaction as the submitters see it, with all events. */
  submit(commands: object | readonly object[], acting: Acting): Promise<Transaction>
  /** What commands would do. Nothing is recorded; what would be refused is refused. */
  dryRun(commands: object | readonly object[], acting: Acting): Promise<DryRun>
  /** Active contracts, of all parties or of some. */
  contracts<T extends TemplateOrInterface>(template: T, parties?: Parties): Promise<readonly Contract<T>[]>
  /** An active contract, as soon as there is one. */
  contract<T extends TemplateOrInterface>(
    template: T,
    wanted?: Wanted<T>,
    options?: Waiting & Reading,
  ): Promise<Contract<T>>
  /**
   * Transactions, those that are yet to come as well: `for await`, until `break`. Ends when the node closes or returns
   * to a snapshot.
   */
  updates(options?: Following & Reading): AsyncIterableIterator<Transaction>
  /** The offset of the last update. */
  offset(): Promise<number>
  /** Returns the name of the snapshot. */
  snapshot(name?: string): Promise<string>
  snapshots(): Promise<readonly Snapshot[]>
  restore(name: string): Promise<void>
  deleteSnapshot(name: string): Promise<void>
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

/** Starts a node. Close it when the test is over. */
export type StartNode = (options?: NodeOptions) => Promise<TestNode>

// ── Networks

/** A participant by its name, or with the aliases of the synchronizers that it is connected to; by default all. */
export type ParticipantOptions<Name extends string> =
  | Name
  | { readonly name: Name; readonly synchronizers?: readonly string[] }

export type NetworkOptions<Name extends string> = Omit<NodeOptions, 'port' | 'grpcPort'> & {
  /** Those of the world file by default, if it has a network. */
  readonly participants?: readonly ParticipantOptions<Name>[]
  /** The aliases of the synchronizers; those of the world file by default, and without one a single one, global. */
  readonly synchronizers?: readonly string[]
  /** Serves gRPC as well, on free ports. */
  readonly grpc?: boolean
}

/**
 * Several participants in one process, on shared synchronizers. Each sees only what its parties may see. Time, snapshots
 * and resets are those of the whole network, whichever participant is asked for them.
 */
export interface TestNetwork<Name extends string> extends AsyncDisposable {
  /** By name. Closing one of them closes the network. */
  readonly participants: Readonly<Record<Name, TestNode>>
  snapshot(name?: string): Promise<string>
  restore(name: string): Promise<void>
  reset(): Promise<void>
  advanceTime(duration: string): Promise<string>
  time(): Promise<string>
  /** At all participants, or at the one that it matches; `orderFault` of a participant orders it there alone. */
  orderFault(order: FaultOrder): Promise<number>
  /** Cancels a fault, or all of the network. */
  cancelFaults(id?: number): Promise<void>
  close(): Promise<void>
}

/** Starts a network. Close it when the test is over. */
export type StartNetwork = <const Name extends string>(options: NetworkOptions<Name>) => Promise<TestNetwork<Name>>

/** A transaction, or a dry run, as a tree for people. */
export type TransactionText = (transaction: Pick<Transaction, 'events'> | DryRun) => string

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
