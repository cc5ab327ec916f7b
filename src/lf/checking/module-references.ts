// Collects the names that a module's expressions and types refer to. It collects as much as the reference does to find
// cycles of modules (collectIdentifiers in Util.scala, with ExprIterable and TypeIterable), which is not everything.
import type { Expression, Identifier, Type, Update } from '../syntax/ast.ts'

export type Visit = (id: Identifier) => void

/** The types that a type consists of. */
export function eachTypePart(type: Type, use: (part: Type) => void): void {
  if ('args' in type) type.args.forEach(use)
  else if (type.kind === 'struct') for (const field of type.fields) use(field.type)
  else if (type.kind === 'forall') use(type.body)
}

/** The values that an expression names. */
export function valuesIn(expression: Expression, visit: Visit): void {
  if (expression.kind === 'value') visit(expression.id)
  valuesInside(expression, visit)
}

/** Those of the parts of an expression alone. */
export function valuesInside(expression: Expression, visit: Visit): void {
  switch (expression.kind) {
    // The reference skips the operand of these expressions and visits only the parts of the operand.
    case 'to-required-interface':
    case 'from-required-interface':
    case 'interface-template-type-rep':
    case 'signatory-interface':
    case 'view-interface':
    case 'observer-interface':
      if (expression.value.location === undefined) return valuesInside(expression.value, visit)
      return valuesIn(expression.value, visit)
    default:
      return eachPart(expression, (part) => valuesIn(part, visit))
  }
}

/** The parts of an expression, in the order of the reference. */
function eachPart(expression: Expression, use: (part: Expression) => void): void {
  switch (expression.kind) {
    case 'record':
    case 'struct':
      for (const { value } of expression.fields) use(value)
      return
    case 'record-projection':
      return use(expression.record)
    case 'record-update':
      use(expression.record)
      return use(expression.value)
    case 'struct-projection':
      return use(expression.struct)
    case 'struct-update':
      use(expression.struct)
      return use(expression.value)
    case 'application':
      use(expression.function)
      return expression.args.forEach(use)
    case 'type-application':
      return use(expression.expression)
    case 'abstraction':
    case 'type-abstraction':
      return use(expression.body)
    case 'case':
      use(expression.scrutinee)
      for (const { body } of expression.alternatives) use(body)
      return
    case 'let':
      for (const { bound } of expression.bindings) use(bound)
      return use(expression.body)
    case 'cons':
      expression.front.forEach(use)
      return use(expression.tail)
    case 'throw':
      return use(expression.exception)
    case 'unsafe-from-interface':
    case 'unsafe-from-required-interface':
      use(expression.contractId)
      return use(expression.value)
    case 'update':
      return eachPartOfUpdate(expression.update, use)
    default:
      if ('value' in expression) use(expression.value)
  }
}

function eachPartOfUpdate(update: Update, use: (part: Expression) => void): void {
  switch (update.kind) {
    case 'block':
      for (const { bound } of update.bindings) use(bound)
      return use(update.body)
    case 'exercise':
    case 'exercise-interface':
      use(update.contractId)
      return use(update.argument)
    case 'exercise-by-key':
      use(update.key)
      return use(update.argument)
    case 'fetch':
    case 'fetch-interface':
      return use(update.contractId)
    case 'ledger-time-lt':
      return use(update.time)
    case 'embed-expression':
      return use(update.body)
    case 'try-catch':
      use(update.body)
      return use(update.handler)
    default:
      if ('value' in update) use(update.value)
  }
}

/** Receives the names in an expression. */
type Names = {
  /** Data types, templates and interfaces. */
  readonly visit: Visit
  readonly type: (type: Type) => void
}

/** The types in an expression. */
export function namesIn(expression: Expression, names: Names): void {
  const { visit, type: onType } = names
  const inner = (part: Expression): void => namesIn(part, names)
  switch (expression.kind) {
    case 'value':
      return
    case 'record':
    case 'record-projection':
    case 'record-update':
    case 'variant':
      visit(expression.type.id)
      expression.type.args.forEach(onType)
      return eachPart(expression, inner)
    case 'enum':
      return visit(expression.id)
    case 'type-application':
      inner(expression.expression)
      return expression.types.forEach(onType)
    case 'abstraction':
      for (const { type } of expression.parameters) onType(type)
      return inner(expression.body)
    case 'let':
      for (const { type, bound } of expression.bindings) {
        onType(type)
        inner(bound)
      }
      return inner(expression.body)
    case 'throw':
      onType(expression.returnType)
      onType(expression.exceptionType)
      return inner(expression.exception)
    case 'update':
      return namesInUpdate(expression.update, names)
    default:
      if ('type' in expression) onType(expression.type)
      if ('interface' in expression) visit(expression.interface)
      if ('template' in expression) visit(expression.template)
      if ('required' in expression) {
        visit(expression.required)
        visit(expression.requiring)
      }
      return eachPart(expression, inner)
  }
}

function namesInUpdate(update: Update, names: Names): void {
  const { visit, type: onType } = names
  const inner = (part: Expression): void => namesIn(part, names)
  switch (update.kind) {
    case 'fetch-by-key':
    case 'query-n-by-key':
      return // The reference does not look at their templates.
    case 'block':
      for (const { type, bound } of update.bindings) {
        onType(type)
        inner(bound)
      }
      return inner(update.body)
    case 'try-catch':
      onType(update.returnType)
      return eachPartOfUpdate(update, inner)
    default:
      if ('type' in update) onType(update.type)
      if ('template' in update) visit(update.template)
      if ('interface' in update) visit(update.interface)
      return eachPartOfUpdate(update, inner)
  }
}
