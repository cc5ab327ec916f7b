// Runs a script: evaluates it up to its next question, answers, and continues with the answer. Questions about other
// scripts, which catch what these throw, are answered here; the ledger answers all others.
import { apply1, applyAll, type LfFunction } from '../engine/code/apply.ts'
import type { Engine } from '../engine/engine.ts'
import { DamlException, damlFailure, Failure } from '../engine/failures/failures.ts'
import type { Budget } from '../engine/failures/steps.ts'
import { asMap } from '../lf/values/kinds.ts'
import { Any, type LfValue, unit, Variant } from '../lf/values/values.ts'
import { FailedQuestion, type Frame, Unanswered, UnknownShape } from './failures.ts'
import { ledgerQuestions } from './questions/all.ts'
import type { Asking } from './questions/question.ts'
import type { FoundScript } from './scripts.ts'
import { fieldsIn, framesIn, int64In, textIn, wrappedTextIn, wrong } from './shapes.ts'

type Parts = {
  readonly engine: Engine
  readonly asking: Asking
  /** What evaluation may take from one question to the next. */
  readonly budget: Budget
  /** Messages of `debug` and `trace`, as they come. */
  onTraces(texts: readonly string[]): void
  onQuestion(question: string, frames: readonly Frame[]): void
}

type Step =
  | { readonly kind: 'done'; readonly result: LfValue }
  | {
      readonly kind: 'question'
      /** Name and version. */
      readonly question: string
      readonly name: string
      readonly payload: LfValue
      readonly frames: readonly Frame[]
      readonly next: LfFunction
    }

/**
 * Whether a Daml exception that nothing catches becomes a failure status, as in a transaction. In the scope of `try` it
 * stays an exception.
 */
type Scope = { readonly turnsExceptionsIntoStatuses: boolean }

const outermost: Scope = { turnsExceptionsIntoStatuses: true }
const caught: Scope = { turnsExceptionsIntoStatuses: false }

/** The result of the script. Throws a Failure, a FailedQuestion, or an UnknownShape. */
export async function runScript(
  { id, parameter }: FoundScript,
  argument: LfValue | undefined,
  { engine, asking, budget, onTraces, onQuestion }: Parts,
): Promise<LfValue> {
  const { values } = asking

  function evaluate<Result>(scope: Scope, code: () => Result): Result {
    const traces: string[] = []
    try {
      return engine.run(budget, traces, code)
    } catch (error) {
      if (error instanceof DamlException && !scope.turnsExceptionsIntoStatuses) throw error
      if (error instanceof UnknownShape) throw error
      throw withPlace(engine.failureOf(error), error as Error)
    } finally {
      if (traces.length > 0) onTraces(traces)
    }
  }

  /** The innermost place in the script's own package tells more than one in a library. */
  function withPlace(failure: Failure, thrown: Error): Failure {
    const origins = engine.code.originsOf(thrown)
    const own = origins.find(({ packageId, location }) => packageId === id.packageId && location !== undefined)
    if (own === undefined) return failure
    const { module, startLine, startColumn } = own.location!
    const location = `${module}:${startLine + 1}:${startColumn + 1}`
    const details = { ...failure.details, definition: own.definition, location }
    return new Failure(failure.code, failure.message, details, failure.cause)
  }

  async function run(script: LfValue, scope: Scope): Promise<LfValue> {
    const [start] = fieldsIn(script, 2, 'a Script')
    let step = evaluate(scope, () => stepIn(apply1(start as LfFunction, unit)))
    while (step.kind === 'question') {
      const { next } = step
      const answer = await answerTo(step, scope)
      step = evaluate(scope, () => stepIn(apply1(next, answer)))
    }
    return step.result
  }

  async function answerTo({ question, name, payload, frames }: Step & { kind: 'question' }, scope: Scope) {
    onQuestion(question, frames)
    const control = controls.get(question)
    if (control !== undefined) return control(payload, scope)
    const answer = ledgerQuestions.get(question)
    if (answer === undefined) throw new UnknownShape(`Unknown command ${question.replace(' ', ' - Version ')}`)
    try {
      return await answer(payload, asking)
    } catch (error) {
      throw error instanceof Unanswered ? new FailedQuestion(name, frames, error) : error
    }
  }

  /** The script that a function without arguments returns. */
  function scriptIn(payload: LfValue, scope: Scope, what: string): LfValue {
    const [act] = fieldsIn(payload, 2, what)
    return evaluate(scope, () => apply1(act as LfFunction, unit))
  }

  const controls: ReadonlyMap<string, (payload: LfValue, scope: Scope) => Promise<LfValue>> = new Map([
    [
      'Catch 1',
      async (payload: LfValue) => {
        try {
          return values.right(await run(scriptIn(payload, caught, 'Catch'), caught))
        } catch (error) {
          if (error instanceof DamlException) return values.left(error.exception)
          throw error
        }
      },
    ],
    [
      'TryFailureStatus 1',
      async (payload: LfValue) => {
        try {
          return values.right(await run(scriptIn(payload, outermost, 'TryFailureStatus'), outermost))
        } catch (error) {
          if (error instanceof Failure && error.code === 'DAML_FAILURE') return values.left(statusOf(error))
          throw error
        }
      },
    ],
    [
      'TryCommands 1',
      async (payload: LfValue, scope: Scope) => {
        const [script] = fieldsIn(payload, 1, 'TryCommands')
        try {
          return values.right(await run(script, scope))
        } catch (error) {
          if (!(error instanceof FailedQuestion)) throw error
          return values.left(values.tuple3(error.question, error.cause.kind, error.cause.message))
        }
      },
    ],
    [
      'Throw 1',
      async (payload: LfValue, scope: Scope) => {
        const [exception] = fieldsIn(payload, 1, 'Throw')
        if (!(exception instanceof Any)) return wrong('an AnyException')
        throw scope.turnsExceptionsIntoStatuses
          ? (ownException(exception) ?? engine.failureOf(new DamlException(exception)))
          : new DamlException(exception)
      },
    ],
    [
      'FailWithStatus 1',
      async (payload: LfValue) => {
        const [errorId, category, message, meta] = fieldsIn(
          fieldsIn(payload, 1, 'FailWithStatus')[0],
          4,
          'a FailureStatus',
        )
        const metadata = [...asMap(meta).entries()].map(([key, value]): [string, string] => [
          textIn(key),
          textIn(value),
        ])
        throw damlFailure({
          errorId: textIn(errorId),
          category: Number(int64In(category)),
          message: textIn(message),
          metadata,
        })
      },
    ],
  ])

  function statusOf({ details }: Failure): LfValue {
    const prefix = 'metadata.'
    const meta = Object.entries(details)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]): [string, string] => [name.slice(prefix.length), value])
    return values.failureStatus([
      ['errorId', details.errorId],
      ['category', Number(details.category)],
      ['message', details.message],
      ['meta', values.textMap(meta)],
    ])
  }

  const script = evaluate(outermost, () => {
    const value = engine.code.value(id)
    return parameter === undefined ? value : applyAll(value as LfFunction, [argument])
  })
  return run(script, outermost)
}

/** A step of the script: its next question, or its end. */
function stepIn(free: LfValue): Step {
  if (!(free instanceof Variant)) return wrong('a step of a script')
  if (free.type.tags[free.rank] === 'Pure') {
    return { kind: 'done', result: fieldsIn(free.value, 2, 'the result of a script')[0] }
  }
  const [question] = fieldsIn(free.value, 1, 'a ScriptF')
  const [name, version, payload, locations, next] = fieldsIn(question, 5, 'a Question')
  if (typeof next !== 'function') return wrong('the continuation of a question')
  const known = textIn(name)
  return {
    kind: 'question',
    question: `${known} ${int64In(version)}`,
    name: known,
    payload,
    frames: framesIn(locations),
    next: next as LfFunction,
  }
}

/** The words of the library's own exceptions, which have no code for their message. */
const ownMessages: ReadonlyMap<string, (content: LfValue) => string> = new Map([
  ['InvalidUserId', textIn],
  ['UserAlreadyExists', (user: LfValue) => `User already exists: ${wrappedTextIn(user)}`],
  ['UserNotFound', (user: LfValue) => `User not found: ${wrappedTextIn(user)}`],
])

function ownException({ type, value }: Any): Failure | undefined {
  if (type.kind !== 'constructor' || type.id.module !== 'Daml.Script.Internal.Questions.UserManagement')
    return undefined
  const message = ownMessages.get(type.id.name)
  if (message === undefined) return undefined
  return damlFailure({
    errorId: `UNHANDLED_EXCEPTION/${type.id.module}:${type.id.name}`,
    category: 9,
    message: message(fieldsIn(value, 1, 'an exception')[0]),
    metadata: [],
  })
}
