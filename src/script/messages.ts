// What a script's thread and the main thread say to each other.
import type { Counts, Point } from '../engine/compile/coverage.ts'
import type { FromWorker, ToWorker } from '../engine/pool/messages.ts'
import type { CommandSettings } from './commands-thread.ts'
import type { Frame } from './failures.ts'
import type { Answer, ParticipantNames, Request } from './participants.ts'

/** The dalfs of a DAR, by package id; the main package first. */
export type Dalfs = ReadonlyMap<string, Uint8Array>

export type ScriptThreadSettings = {
  /** What evaluation may take from one question to the next. */
  readonly stepsMax: number
  /** Packages whose code counts what it comes to. */
  readonly covered?: readonly string[] | undefined
  /** Set if the thread evaluates the commands of the script's ledger, too. */
  readonly commands?: CommandSettings | undefined
}

/** A script and how it is run. */
export type ScriptOrder = {
  readonly module: string
  readonly name: string
  /** The argument, as JSON. */
  readonly input: string | undefined
  /** Whether the result is for a file, in which `dpm script` has numbers, or as the JSON Ledger API has it. */
  readonly isResultForFile?: boolean | undefined
  readonly hasStaticTime: boolean
  readonly userId: string | undefined
  readonly participants: ParticipantNames
  /** Whether every party may be read, so that a contract that was not found can be explained. */
  readonly seesAll: boolean
  /** The same seed draws the same party hints and keys; undefined draws at random. */
  readonly seed: string | undefined
}

export type ToScriptThread =
  /** Comes first, and once. */
  | { readonly kind: 'packages'; readonly dalfs: Dalfs }
  /** Asks for all points of the covered packages. */
  | { readonly kind: 'survey' }
  | { readonly kind: 'run'; readonly order: ScriptOrder }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: Answer }
  | { readonly kind: 'no-answer'; readonly number: number; readonly reason: string }
  /** About commands of the script's ledger. */
  | { readonly kind: 'evaluation'; readonly message: ToWorker }

export type FromScriptThread =
  /** The thread has taken the order: it takes a moment to start. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'call'; readonly number: number; readonly request: Request }
  | { readonly kind: 'traces'; readonly texts: readonly string[] }
  | { readonly kind: 'question'; readonly question: string; readonly frames: readonly Frame[] }
  | { readonly kind: 'ended'; readonly outcome: ScriptOutcome }
  /** What covered code has counted since the last such message. */
  | { readonly kind: 'counts'; readonly counts: Counts }
  | { readonly kind: 'surveyed'; readonly points: readonly Point[] }
  | { readonly kind: 'evaluation'; readonly message: FromWorker }

export type ScriptOutcome =
  /** `result` is JSON; undefined if the type of the result has no such form. */
  | { readonly kind: 'succeeded'; readonly result: string | undefined }
  | { readonly kind: 'failed'; readonly failure: ScriptFailure }

export type ScriptFailure = {
  readonly message: string
  /** The question that failed, if one did. */
  readonly question: string | undefined
  /** Innermost first. Without a question, those of the last one before the failure. */
  readonly frames: readonly Frame[]
  /** Where in the packages evaluation failed: a definition, and its place in the source. */
  readonly definition: string | undefined
  readonly location: string | undefined
  /** The context of the participant's error: what it says about the Daml code that failed. */
  readonly context: Readonly<Record<string, string>>
}
