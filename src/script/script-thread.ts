// The thread in which scripts run: it evaluates them and asks the main thread to call the participants.
import { randomFillSync } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { wallClock } from '../base/clock.ts'
import { parseExactly } from '../base/exact-json.ts'
import { createSeededRandom, systemRandom } from '../base/random.ts'
import { confineThread } from '../base/thread-sandbox.ts'
import { createEngine } from '../engine/engine.ts'
import { Failure } from '../engine/failures/failures.ts'
import { createPackages } from '../engine/packages.ts'
import { ValueError } from '../lf/codec/value-error.ts'
import { KindError } from '../lf/values/kinds.ts'
import { createCommandEvaluation } from './commands-thread.ts'
import { FailedQuestion, type Frame, Unanswered, UnknownShape } from './failures.ts'
import { withCasts } from './library-packages.ts'
import type {
  Dalfs,
  FromScriptThread,
  ScriptFailure,
  ScriptOrder,
  ScriptOutcome,
  ScriptThreadSettings,
  ToScriptThread,
} from './messages.ts'
import { type Answer, createParticipants, Refused, type Request } from './participants.ts'
import { runScript } from './run-script.ts'
import { createScriptValues } from './script-values.ts'
import { scriptNamed } from './scripts.ts'

const { stepsMax, covered, commands } = workerData as ScriptThreadSettings
let dalfs: Dalfs = new Map()
const packages = withCasts(createPackages({ package: (id) => dalfs.get(id) }))
const engine = createEngine(packages, { covered })
const evaluate =
  commands &&
  createCommandEvaluation({
    settings: commands,
    stepsMax,
    compiling: { packages, engine },
    send: (message) => send({ kind: 'evaluation', message }),
  })

const waiting = new Map<number, PromiseWithResolvers<Answer>>()
let calls = 0
/** Those of the last question that had any. */
let lastFrames: readonly Frame[] = []

function send(message: FromScriptThread): void {
  parentPort!.postMessage(message)
}

/** As the script goes on, so that they are known if it never ends. */
function sendCounts(): void {
  const counts = engine.coverage?.take()
  if (counts !== undefined && counts.size > 0) send({ kind: 'counts', counts })
}

function call(request: Request): Promise<Answer> {
  calls += 1
  const answered = Promise.withResolvers<Answer>()
  waiting.set(calls, answered)
  send({ kind: 'call', number: calls, request })
  return answered.promise
}

function hear(message: ToScriptThread): void {
  if (message.kind === 'evaluation') return evaluate?.(message.message)
  if (message.kind === 'packages') {
    dalfs = message.dalfs
    return
  }
  if (message.kind === 'run') {
    send({ kind: 'begun' })
    void outcomeOf(message.order).then((outcome) => {
      sendCounts()
      send({ kind: 'ended', outcome })
    })
    return
  }
  if (message.kind === 'survey') {
    for (const id of covered ?? []) if (dalfs.has(id)) engine.code.compileAll(id)
    return send({ kind: 'surveyed', points: engine.coverage?.points() ?? [] })
  }
  const answered = waiting.get(message.number)
  waiting.delete(message.number)
  if (message.kind === 'answer') answered?.resolve(message.answer)
  else answered?.reject(new Unanswered(message.reason, 'StatusRuntimeException'))
}

async function outcomeOf(order: ScriptOrder): Promise<ScriptOutcome> {
  lastFrames = []
  try {
    return { kind: 'succeeded', result: await run(order) }
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) }
  }
}

async function run({ module, name, input, participants, seed, ...order }: ScriptOrder) {
  const [packageId] = dalfs.keys()
  const script = scriptNamed({ packageId: packageId!, module, name }, packages.get(packageId!)!)
  if (script === undefined) throw new UnknownShape(`there is no script ${module}:${name}`)
  const values = createScriptValues({ packages, engine, libraryId: script.libraryId })
  const argument = script.parameter === undefined ? undefined : values.fromJson(script.parameter, parseExactly(input!))
  const result = await runScript(script, argument, {
    engine,
    budget: { stepsMax },
    asking: {
      values,
      participants: createParticipants(participants, call),
      hasStaticTime: order.hasStaticTime,
      seesAll: order.seesAll,
      userId: order.userId,
      clock: wallClock,
      random: seed === undefined ? systemRandom : createSeededRandom(seed),
      packages: () => [...dalfs.keys()].map((id) => packages.get(id)!),
    },
    onTraces: (texts) => send({ kind: 'traces', texts }),
    onQuestion(question, frames) {
      if (frames.length > 0) lastFrames = frames
      sendCounts()
      send({ kind: 'question', question, frames })
    },
  })
  return jsonOf(() =>
    order.isResultForFile
      ? values.toFile(script.result, result)
      : JSON.stringify(values.toJson({ type: script.result, value: result })),
  )
}

/** Results may be functions, or hold them. */
function jsonOf(encode: () => string): string | undefined {
  try {
    return encode()
  } catch (error) {
    if (error instanceof KindError) return undefined
    throw error
  }
}

function failureOf(error: unknown): ScriptFailure {
  const { message } = error as Error
  const nowhere = { question: undefined, frames: lastFrames, definition: undefined, location: undefined, context: {} }
  if (error instanceof FailedQuestion) {
    const context = error.cause instanceof Refused ? error.cause.error.context : {}
    return { ...nowhere, message, question: error.question, frames: error.frames, context }
  }
  if (error instanceof Failure) {
    const { definition, location } = error.details
    const isTooMuch = error.code === 'INTERPRETATION_TIME_EXCEEDED'
    // Scripts have the bounds of commands.
    return {
      ...nowhere,
      message: isTooMuch ? message.replace('The command', 'The script') : message,
      definition,
      location,
    }
  }
  if (error instanceof UnknownShape || error instanceof ValueError || error instanceof KindError) {
    return { ...nowhere, message: error instanceof ValueError ? error.reason : message }
  }
  return { ...nowhere, message: `a bug of this program: ${(error as Error).stack ?? message}` }
}

parentPort!.on('message', hear)
confineThread()
/** Signing needs randomness, which a confined thread has no global for. */
Object.defineProperty(globalThis, 'crypto', {
  value: Object.freeze({ getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes) }),
})
