// Types as text, as a Daml programmer would write them (`Optional Text`, `[Party]`, `ContractId Iou`), and the
// substitution of type parameters.
import type { Identifier, Type } from './ast.ts'
import type { BuiltinTypeName } from './builtins.ts'

/** Daml's names where they differ from those of Daml-LF. */
const damlNames: Partial<Record<BuiltinTypeName, string>> = {
  Unit: '()',
  Int64: 'Int',
  Timestamp: 'Time',
  GenMap: 'Map',
}

const tupleModule = 'DA.Types'
const tupleName = /^Tuple\d+$/

/** How tightly a type binds where it stands: alone, left of an arrow, or as an argument. */
type Position = 'alone' | 'operand' | 'argument'

/** A larger type is not shown: a type may refer to one of its parts many times. */
const partsMax = 5_000

/** Names from `module` are unqualified, all others have their module in front. */
export function renderType(type: Type, module: string): string {
  return isWithin(type, partsMax) ? render(type, module, 'alone') : '…'
}

function isWithin(type: Type, max: number): boolean {
  const pending = [type]
  for (let parts = 0; pending.length > 0; parts += 1) {
    if (parts + pending.length > max) return false
    const next = pending.pop()!
    if ('args' in next) for (const argument of next.args) pending.push(argument)
    else if (next.kind === 'struct') for (const field of next.fields) pending.push(field.type)
    else if (next.kind === 'forall') pending.push(next.body)
  }
  return true
}

function render(type: Type, module: string, position: Position): string {
  switch (type.kind) {
    case 'nat':
      return `${type.value}`
    case 'struct':
      return `{${type.fields.map((field) => `${field.name} : ${render(field.type, module, 'alone')}`).join(', ')}}`
    case 'forall': {
      const names = type.parameters.map((parameter) => parameter.name).join(' ')
      return parenthesised(`forall ${names}. ${render(type.body, module, 'alone')}`, position !== 'alone')
    }
    case 'variable':
      return applied(type.name, type.args, module, position)
    case 'builtin':
      return renderBuiltin(type, module, position)
    default:
      return renderConstructor(type.id, type.args, module, position)
  }
}

function renderBuiltin(type: Extract<Type, { kind: 'builtin' }>, module: string, position: Position): string {
  const [first, second] = type.args
  if (type.name === 'List' && first) return `[${render(first, module, 'alone')}]`
  if (type.name === 'Arrow' && first && second) {
    const text = `${render(first, module, 'operand')} -> ${render(second, module, 'alone')}`
    return parenthesised(text, position !== 'alone')
  }
  return applied(damlNames[type.name] ?? type.name, type.args, module, position)
}

export function isTuple({ module, name }: Identifier): boolean {
  return module === tupleModule && tupleName.test(name)
}

function renderConstructor(id: Identifier, args: readonly Type[], module: string, position: Position): string {
  if (isTuple(id) && args.length > 0) {
    return `(${args.map((arg) => render(arg, module, 'alone')).join(', ')})`
  }
  return applied(id.module === module ? id.name : `${id.module}.${id.name}`, args, module, position)
}

function applied(head: string, args: readonly Type[], module: string, position: Position): string {
  if (args.length === 0) return head
  const text = [head, ...args.map((arg) => render(arg, module, 'argument'))].join(' ')
  return parenthesised(text, position === 'argument')
}

const parenthesised = (text: string, isNeeded: boolean): string => (isNeeded ? `(${text})` : text)

/**
 * Replaces type parameters. Unbound parameters stay as they are. Shared parts stay shared: written out in full, a type may be far larger than in
 * memory, so each part is substituted once, also for all types that share `done`.
 */
export function substitute(
  type: Type,
  bound: ReadonlyMap<string, Type | undefined>,
  done: Map<Type, Type> = new Map(),
): Type {
  if (type.kind === 'variable') return (type.args.length === 0 && bound.get(type.name)) || type
  if ((type.kind !== 'builtin' && type.kind !== 'constructor') || type.args.length === 0) return type
  const known = done.get(type)
  if (known !== undefined) return known
  const args = type.args.map((argument) => substitute(argument, bound, done))
  const isOfParameter = type.kind === 'builtin' && type.name === 'Optional' && type.args[0]!.kind === 'variable'
  const filled: Type = isOfParameter ? { ...type, args, isOfParameter } : { ...type, args }
  done.set(type, filled)
  return filled
}
