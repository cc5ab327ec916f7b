// Daml-LF expressions as JavaScript. Evaluation order is the reference engine's: operands from right to left, the
// function last. So whatever can fail or take time is put into a constant before anything to its left.
import type { Expression, Field, Identifier, Parameter, Type } from '../../lf/syntax/ast.ts'
import { builtins } from '../../lf/syntax/builtins.ts'
import { slotOfField, structTypeOf } from '../../lf/values/structures.ts'
import { TypeRep } from '../../lf/values/values.ts'
import { armCounters, countPlace, noteFallThrough, watchAssertion } from './counting.ts'
import { codesOf, illTyped, impure, kept, literal, named, nameOf, pure, wrong } from './operands.ts'
import { bindPattern, guardOf, testOf } from './patterns.ts'
import { bind, type Operand, type Scope, type Target, type Variable, withoutLoop } from './scope.ts'

/** Writes the statements that lead to the value, and returns the last step as an operand. */
export function compileOperand(expression: Expression, scope: Scope): Operand {
  return scope.writer.at(expression.location, () => {
    countPlace(expression, scope)
    return operandOf(expression, scope)
  })
}

function operandOf(expression: Expression, scope: Scope): Operand {
  const { runtime, constant, layout } = scope
  switch (expression.kind) {
    case 'variable':
      return pure(variable(expression.name, scope).name)
    case 'value': {
      const { name, arity } = scope.reference(expression.id)
      return arity === 0 ? impure(`${name}()`) : pure(name)
    }
    case 'builtin':
      return pure(runtime(expression.name))
    case 'builtin-constructor':
      return pure(expression.name === 'unit' ? runtime('unit') : expression.name)
    case 'literal':
      return literal(expression.literal, scope)
    case 'record': {
      const { id } = expression.type
      const fields = fieldCodes(expression.fields, layout.fieldNames(id), scope)
      return impure(`new ${constant(layout.recordClass(id))}(${fields.join(', ')})`)
    }
    case 'record-projection': {
      const { id } = expression.type
      return projection(expression.record, layout.slot(id, expression.field), `a record ${nameOf(id)}`, scope)
    }
    case 'record-update':
      return recordUpdate(expression, scope)
    case 'variant': {
      const { id } = expression.type
      const value = compileOperand(expression.value, scope)
      const type = constant(layout.variantType(id))
      return impure(`new ${runtime('Variant')}(${type}, ${layout.rank(id, expression.tag)}, ${value.code})`)
    }
    case 'enum':
      return pure(constant(layout.enumValue(expression.id, expression.tag)))
    case 'struct': {
      const names = expression.fields.map(({ name }) => name).sort()
      const fields = fieldCodes(expression.fields, names, scope)
      return impure(`new ${constant(structTypeOf(names).create)}(${fields.join(', ')})`)
    }
    case 'struct-projection':
      return projection(expression.struct, slotOfField(expression.field), 'a struct with such a field', scope)
    case 'struct-update': {
      const [struct, value] = operands([expression.struct, expression.value], scope) as [Operand, Operand]
      return impure(`${runtime('updateStruct')}(${struct.code}, ${constant(expression.field)}, ${value.code})`)
    }
    case 'application':
      return watchAssertion(expression, scope)(application(expression.function, expression.args, scope))
    case 'type-application':
      return compileOperand(expression.expression, scope)
    case 'type-abstraction':
      return compileOperand(expression.body, scope)
    case 'abstraction':
      return pure(abstraction(expression.parameters, expression.body, scope))
    case 'case':
    case 'let': {
      const name = scope.writer.fresh('r')
      scope.writer.line(`let ${name};`)
      writeTo(expression, { kind: 'assign', name }, withoutLoop(scope))
      return pure(name)
    }
    case 'nil':
      return pure(runtime('nil'))
    case 'cons': {
      const parts = operands([...expression.front, expression.tail], scope)
      const [tail, ...front] = parts.toReversed() as [Operand, ...Operand[]]
      const list = front.reduce((rest, { code }) => `new ${runtime('Cons')}(${code}, ${rest})`, tail.code)
      return impure(list)
    }
    case 'none':
      return pure(runtime('none'))
    case 'some': {
      const value = compileOperand(expression.value, scope)
      return impure(`new ${runtime('Some')}(${value.code})`)
    }
    case 'to-any':
    case 'to-any-exception': {
      const value = compileOperand(expression.value, scope)
      return impure(`new ${runtime('Any')}(${constant(expression.type)}, ${value.code})`)
    }
    case 'from-any':
    case 'from-any-exception':
      return call('fromAny', [constant(closedConstructor(expression.type))], expression.value, scope)
    case 'type-rep':
      return pure(constant(new TypeRep(expression.type)))
    case 'throw': {
      const exception = compileOperand(expression.exception, scope)
      return impure(`${runtime('raise')}(${constant(expression.exceptionType)}, ${exception.code})`)
    }
    case 'to-interface':
    case 'to-required-interface':
      return compileOperand(expression.value, scope)
    case 'from-interface':
      return call('fromInterface', [scope.template(expression.template)], expression.value, scope)
    case 'unsafe-from-interface': {
      const [id, value] = operands([expression.contractId, expression.value], scope) as [Operand, Operand]
      const template = scope.template(expression.template)
      return impure(`${runtime('unsafeFromInterface')}(${template}, ${id.code}, ${value.code})`)
    }
    case 'call-interface': {
      const method = constant(expression.method)
      return call('callInterface', [scope.interface(expression.interface), method], expression.value, scope)
    }
    case 'view-interface':
      return call('viewInterface', [scope.interface(expression.interface)], expression.value, scope)
    case 'signatory-interface':
      return call('signatoriesOf', [], expression.value, scope)
    case 'observer-interface':
      return call('observersOf', [], expression.value, scope)
    case 'interface-template-type-rep':
      return call('templateTypeRep', [], expression.value, scope)
    case 'from-required-interface':
      return call('fromRequiredInterface', [scope.interface(expression.requiring)], expression.value, scope)
    case 'unsafe-from-required-interface': {
      const [id, value] = operands([expression.contractId, expression.value], scope) as [Operand, Operand]
      const interfaces = `${scope.interface(expression.required)}, ${scope.interface(expression.requiring)}`
      return impure(`${runtime('unsafeFromRequiredInterface')}(${interfaces}, ${id.code}, ${value.code})`)
    }
    case 'update':
      return scope.updates.build(expression.update, scope)
  }
}

/** Writes statements that bring the value to its target. */
export function compileTo(expression: Expression, target: Target, scope: Scope): void {
  scope.writer.at(expression.location, () => {
    countPlace(expression, scope)
    writeTo(expression, target, scope)
  })
}

function writeTo(expression: Expression, target: Target, scope: Scope): void {
  switch (expression.kind) {
    case 'let': {
      let inner = scope
      for (const { name, bound } of expression.bindings) inner = bindValue(name, bound, inner)
      return compileTo(expression.body, target, inner)
    }
    case 'case':
      return compileCase(expression, target, scope)
    case 'type-application':
      return compileTo(expression.expression, target, scope)
    case 'type-abstraction':
      return compileTo(expression.body, target, scope)
    case 'application':
      if (target.kind === 'return' && jumpsToSelf(expression.function, expression.args, scope)) return
      break
    case 'update':
      if (target.kind === 'run') return scope.updates.run(expression.update, target, scope)
      break
  }
  finish(operandOf(expression, scope).code, target, scope)
}

/** Brings the result of the last step to its target. */
export function finish(code: string, target: Target, scope: Scope): void {
  switch (target.kind) {
    case 'return':
      return scope.writer.line(`return ${code};`)
    case 'assign':
      return scope.writer.line(`${target.name} = ${code};`)
    case 'run':
      return finish(`${scope.runtime('asUpdate')}(${code})(${target.effects})`, target.into, scope)
  }
}

/** The operands of one step, evaluated from right to left; all but the last one evaluated are kept in constants. */
export function operands(expressions: readonly Expression[], scope: Scope): Operand[] {
  const values: Operand[] = []
  for (let index = expressions.length - 1; index >= 0; index -= 1) {
    const operand = compileOperand(expressions[index]!, scope)
    values[index] = index === 0 ? operand : kept(operand, scope)
  }
  return values
}

function bindValue(name: string, bound: Expression, scope: Scope): Scope {
  const lambda = erased(bound)
  noteFallThrough(name, lambda, scope)
  const operand = compileOperand(bound, scope)
  const own = scope.writer.fresh('x')
  scope.writer.at(bound.location, () => scope.writer.line(`const ${own} = ${operand.code};`))
  return bind(scope, name, own, lambda.kind === 'abstraction' ? parametersOf(lambda).parameters.length : undefined)
}

// ── Functions

/** The expression without its types, which do not exist at run time. */
export function erased(expression: Expression): Expression {
  let inner = expression
  while (inner.kind === 'type-abstraction' || inner.kind === 'type-application') {
    inner = inner.kind === 'type-abstraction' ? inner.body : inner.expression
  }
  return inner
}

/** All directly nested parameters of a function, skipping type abstractions, and the body inside. */
export function parametersOf(expression: Expression): { parameters: readonly Parameter[]; body: Expression } {
  const parameters: Parameter[] = []
  let body = expression
  for (;;) {
    if (body.kind === 'type-abstraction') body = body.body
    else if (body.kind === 'abstraction') {
      parameters.push(...body.parameters)
      body = body.body
    } else return { parameters, body }
  }
}

function abstraction(ownParameters: readonly Parameter[], ownBody: Expression, scope: Scope): string {
  const inner = parametersOf(ownBody)
  const parameters = [...ownParameters, ...inner.parameters]
  const name = scope.writer.fresh('f')
  const names = parameters.map(() => scope.writer.fresh('a'))
  scope.writer.closure(name, names.join(', '), () => {
    scope.writer.line(countStep(scope))
    compileTo(inner.body, { kind: 'return' }, withoutLoop(bindAll(parameters, names, scope)))
  })
  return name
}

export function bindAll(parameters: readonly Parameter[], names: readonly string[], scope: Scope): Scope {
  return parameters.reduce((inner, { name }, index) => bind(inner, name, names[index]!), scope)
}

/** Every function counts its calls, so that no program runs forever. */
export function countStep({ runtime }: Scope): string {
  return `if (--${runtime('steps')}.left < 0) ${runtime('steps')}.exhausted();`
}

function application(target: Expression, args: readonly Expression[], scope: Scope): Operand {
  const callee = erased(target)
  const known = knownArity(callee, scope)
  if (known === undefined) {
    const values = operands(args, scope).map((operand) => kept(operand, scope))
    const { code } = compileOperand(callee, scope)
    return impure(apply(code, codesOf(values), scope))
  }
  const values = codesOf(operands(args, scope))
  const { name, arity } = known
  if (values.length === arity) return impure(`${name}(${values.join(', ')})`)
  if (values.length > arity) {
    return impure(apply(`${name}(${values.slice(0, arity).join(', ')})`, values.slice(arity), scope))
  }
  return partial(name, arity, values, scope)
}

function knownArity(callee: Expression, scope: Scope): { name: string; arity: number } | undefined {
  switch (callee.kind) {
    case 'value': {
      const { name, arity } = scope.reference(callee.id)
      return arity === 0 ? undefined : { name, arity }
    }
    case 'builtin': {
      const { arity } = builtins[callee.name]
      return arity === 0 ? undefined : { name: scope.runtime(callee.name), arity }
    }
    case 'variable': {
      const { name, arity } = variable(callee.name, scope)
      return arity === undefined ? undefined : { name, arity }
    }
    default:
      return undefined
  }
}

function apply(code: string, args: readonly string[], { runtime }: Scope): string {
  return args.length <= 3
    ? `${runtime(`apply${args.length}`)}(${[code, ...args].join(', ')})`
    : `${runtime('applyAll')}(${code}, [${args.join(', ')}])`
}

function partial(name: string, arity: number, values: readonly string[], scope: Scope): Operand {
  const supplied = values.map((code) => kept(impure(code), scope).code)
  const missing = Array.from({ length: arity - values.length }, () => scope.writer.fresh('a'))
  return pure(`((${missing.join(', ')}) => ${name}(${[...supplied, ...missing].join(', ')}))`)
}

/** A tail call of the surrounding function sets its parameters and starts over. */
function jumpsToSelf(target: Expression, args: readonly Expression[], scope: Scope): boolean {
  const { loop } = scope
  const callee = erased(target)
  if (loop === undefined || callee.kind !== 'value' || args.length !== loop.self.arity) return false
  if (scope.reference(callee.id).name !== loop.self.name) return false
  const values = operands(args, scope).map((operand) => kept(operand, scope))
  for (const [index, { code }] of values.entries()) scope.writer.line(`${loop.parameters[index]} = ${code};`)
  scope.writer.line(`continue ${loop.label};`)
  return true
}

// ── Data

/** The fields, evaluated in their own order and returned in the order of `names`. */
function fieldCodes(fields: readonly Field[], names: readonly string[], scope: Scope): string[] {
  const values = operands(
    fields.map(({ value }) => value),
    scope,
  )
  const codes = new Map(fields.map(({ name }, index) => [name, values[index]!.code]))
  if (codes.size !== fields.length || codes.size !== names.length) illTyped('fields are missing, or given twice')
  return names.map((name) => codes.get(name) ?? illTyped(`there is no field ${name}`))
}

/** A value that is not such a record or struct lacks the slot. No value is undefined. */
function projection(record: Expression, slot: string, expected: string, scope: Scope): Operand {
  const { code, isPure } = compileOperand(record, scope)
  return { code: `(${code}.${slot} ?? ${wrong(expected, scope)})`, isPure }
}

function recordUpdate(expression: Extract<Expression, { kind: 'record-update' }>, scope: Scope): Operand {
  const { id } = expression.type
  const [record, value] = operands([expression.record, expression.value], scope) as [Operand, Operand]
  const base = named(record, scope)
  const changed = scope.layout.slot(id, expression.field)
  scope.writer.line(`if (${base}.${changed} === undefined) ${wrong(`a record ${nameOf(id)}`, scope)};`)
  const fields = scope.layout.slots(id).map((slot) => (slot === changed ? value.code : `${base}.${slot}`))
  return pure(kept(impure(`new ${scope.constant(scope.layout.recordClass(id))}(${fields.join(', ')})`), scope).code)
}

function call(name: string, before: readonly string[], value: Expression, scope: Scope): Operand {
  const { code } = compileOperand(value, scope)
  return impure(`${scope.runtime(name)}(${[...before, code].join(', ')})`)
}

// ── Case

function compileCase(expression: Extract<Expression, { kind: 'case' }>, target: Target, scope: Scope): void {
  const { scrutinee, alternatives } = expression
  const value = named(compileOperand(scrutinee, scope), scope)
  const { writer } = scope
  for (const guard of new Set(alternatives.flatMap(({ pattern }) => guardOf(pattern, value, scope)))) writer.line(guard)
  let isOpen = true // Whether a value may still get past the alternatives so far.
  const counters = armCounters(expression, scope)
  for (const [index, { pattern, body }] of alternatives.entries()) {
    if (!isOpen) break
    const test = testOf(pattern, value, scope)
    const arm = () => {
      counters[index]?.()
      compileTo(body, target, bindPattern(pattern, value, scope))
    }
    if (test === undefined) {
      isOpen = false
      writer.block('', arm)
    } else {
      writer.block(`if (${test})`, arm)
      if (!endsFlow(target)) writer.line('else')
    }
  }
  if (isOpen) writer.block('', () => writer.line(`${scope.runtime('noMatch')}();`))
}

function endsFlow(target: Target): boolean {
  return target.kind === 'run' ? endsFlow(target.into) : target.kind === 'return'
}

// ── Names and types

function variable(name: string, { variables }: Scope): Variable {
  let found = variables
  while (found !== undefined && found.name !== name) found = found.outer
  return found === undefined ? illTyped(`the variable ${name} is not bound`) : found.variable
}

/** Any and TypeRep hold a plain type constructor in every package that passes the type checker. */
function closedConstructor(type: Type): Identifier {
  return type.kind === 'constructor' ? type.id : illTyped('a type constructor was expected')
}
