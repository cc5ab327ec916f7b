// What a question is answered with, and the form of the tables of questions.
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Package } from '../../lf/syntax/ast.ts'
import type { LfValue } from '../../lf/values/values.ts'
import type { Participants } from '../participants.ts'
import type { ScriptValues } from '../script-values.ts'

export type Asking = {
  readonly values: ScriptValues
  readonly participants: Participants
  /** Whether the ledger's time moves only on request. */
  readonly hasStaticTime: boolean
  /** Whether every party may be read. */
  readonly seesAll: boolean
  /** Who submits; undefined leaves it to the token. */
  readonly userId: string | undefined
  readonly clock: Clock
  readonly random: Random
  /** The packages of the DAR. */
  readonly packages: () => readonly Package[]
}

export type AnswerQuestion = (payload: LfValue, asking: Asking) => Promise<LfValue>

/** By name and version, such as `Submit 2`. */
export type Questions = readonly (readonly [question: string, answer: AnswerQuestion])[]
