// Daml-LF updates as JavaScript. An update is a function of the effects it runs with: building one evaluates what the
// reference engine evaluates at that moment, running it does the rest. An update that runs where it stands needs no
// function at all.
import type { Expression, Update } from '../../lf/syntax/ast.ts'
import { compileOperand, compileTo, finish, operands } from './expressions.ts'
import { kept } from './operands.ts'
import { bind, type Operand, type RunTarget, type Scope, type Target, withoutLoop } from './scope.ts'

/** Builds the update: returns a function of the effects. */
export function compileUpdate(update: Update, scope: Scope): Operand {
  switch (update.kind) {
    case 'pure': {
      const value = kept(compileOperand(update.value, scope), scope)
      return closure(scope, (_effects, inner) => inner.writer.line(`return ${value.code};`))
    }
    case 'block': {
      const [first, ...rest] = update.bindings
      const bound = kept(compileOperand(first!.bound, scope), scope)
      return closure(scope, (effects, inner) => {
        const own = inner.writer.fresh('x')
        inner.writer.line(`const ${own} = ${scope.runtime('asUpdate')}(${bound.code})(${effects});`)
        runBlock(rest, update.body, effects, { kind: 'return' }, bind(inner, first!.name, own))
      })
    }
    // The operands of these are evaluated when they run.
    case 'embed-expression':
    case 'try-catch':
    case 'create-interface':
      return closure(scope, (effects, inner) =>
        compileRun(update, { kind: 'run', effects, into: { kind: 'return' } }, inner),
      )
    case 'fetch-by-key': {
      const template = scope.template(update.template)
      return { code: `((key) => (effects = 0) => effects.fetchByKey(${template}, key))`, isPure: true }
    }
    case 'query-n-by-key': {
      const template = scope.template(update.template)
      return { code: `((count, key) => (effects = 0) => effects.queryByKey(${template}, count, key))`, isPure: true }
    }
    default: {
      const step = effect(update, scope)
      return closure(scope, (effects, inner) => inner.writer.line(`return ${step(effects)};`))
    }
  }
}

/** Runs the update where it stands. */
export function compileRun(update: Update, target: RunTarget, scope: Scope): void {
  const { effects, into } = target
  switch (update.kind) {
    case 'pure':
      return compileTo(update.value, into, withoutLoop(scope))
    case 'block':
      return runBlock(update.bindings, update.body, effects, into, scope)
    case 'embed-expression':
      return compileTo(update.body, target, scope)
    case 'try-catch':
      return finish(tryCatch(update, effects, scope), into, scope)
    case 'create-interface': {
      const value = kept(compileOperand(update.value, scope), scope).code
      return finish(`${effects}.create(${scope.runtime('templateOf')}(${value}), ${value})`, into, scope)
    }
    case 'fetch-by-key':
    case 'query-n-by-key':
      return finish(compileUpdate(update, scope).code, target, scope)
    default:
      return finish(effect(update, scope)(effects), into, scope)
  }
}

type Step = (effects: string) => string

type NotOneStep =
  | 'pure'
  | 'block'
  | 'embed-expression'
  | 'try-catch'
  | 'create-interface'
  | 'fetch-by-key'
  | 'query-n-by-key'

/** One step of the ledger: its operands are evaluated now, the effect itself when it runs. */
function effect(update: Exclude<Update, { kind: NotOneStep }>, scope: Scope): Step {
  const evaluated = (...expressions: Expression[]) =>
    operands(expressions, scope).map((operand) => kept(operand, scope).code)
  switch (update.kind) {
    case 'create': {
      const [value] = evaluated(update.value)
      return (effects) => `${effects}.create(${scope.template(update.template)}, ${value})`
    }
    case 'exercise': {
      const [id, argument] = evaluated(update.contractId, update.argument)
      const choice = scope.constant(update.choice)
      return (effects) => `${effects}.exercise(${scope.template(update.template)}, ${choice}, ${id}, ${argument})`
    }
    case 'exercise-interface': {
      const [id, argument] = evaluated(update.contractId, update.argument)
      const target = `${scope.interface(update.interface)}, ${scope.constant(update.choice)}`
      return (effects) => `${effects}.exerciseInterface(${target}, ${id}, ${argument})`
    }
    case 'exercise-by-key': {
      const [key, argument] = evaluated(update.key, update.argument)
      const target = `${scope.template(update.template)}, ${scope.constant(update.choice)}`
      return (effects) => `${effects}.exerciseByKey(${target}, ${key}, ${argument})`
    }
    case 'fetch': {
      const [id] = evaluated(update.contractId)
      return (effects) => `${effects}.fetch(${scope.template(update.template)}, ${id})`
    }
    case 'fetch-interface': {
      const [id] = evaluated(update.contractId)
      return (effects) => `${effects}.fetchInterface(${scope.interface(update.interface)}, ${id})`
    }
    case 'get-time':
      return (effects) => `${effects}.getTime()`
    case 'ledger-time-lt': {
      const [time] = evaluated(update.time)
      return (effects) => `${effects}.isBefore(${time})`
    }
  }
}

type Bindings = Extract<Update, { kind: 'block' }>['bindings']

function runBlock(bindings: Bindings, body: Expression, effects: string, into: Target, scope: Scope): void {
  let inner = scope
  for (const { name, bound } of bindings) {
    const own = scope.writer.fresh('x')
    scope.writer.line(`let ${own};`)
    compileTo(bound, { kind: 'run', effects, into: { kind: 'assign', name: own } }, withoutLoop(inner))
    inner = bind(inner, name, own)
  }
  compileTo(body, { kind: 'run', effects, into }, inner)
}

function tryCatch(update: Extract<Update, { kind: 'try-catch' }>, effects: string, scope: Scope): string {
  const body = closure(scope, (inside, inner) =>
    compileTo(update.body, { kind: 'run', effects: inside, into: { kind: 'return' } }, inner),
  )
  const exception = scope.writer.fresh('a')
  const handler = scope.writer.fresh('f')
  scope.writer.closure(handler, exception, () => {
    compileTo(update.handler, { kind: 'return' }, withoutLoop(bind(scope, update.binder, exception)))
  })
  return `${effects}.tryCatch(${body.code}, ${handler})`
}

/** A parameter with a default does not count in a function's `length`: that tells updates from functions. */
function closure(scope: Scope, body: (effects: string, inner: Scope) => void): Operand {
  const name = scope.writer.fresh('u')
  const effects = scope.writer.fresh('e')
  scope.writer.closure(name, `${effects} = 0`, () => body(effects, withoutLoop(scope)))
  return { code: name, isPure: true }
}
