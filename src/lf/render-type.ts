// Types as a Daml programmer would write them: `Optional Text`, `[Party]`, `ContractId Iou`, `Int -> Update ()`.
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

/** Names from `module` are written as they are, all others with their module before them. */
export function renderType(type: Type, module: string): string {
  return render(type, module, 'alone')
}

function render(type: Type, module: string, position: Position): string {
  switch (type.kind) {
    case 'nat':
      return `${type.value}`
    case 'struct':
      return `{${type.fields.map((field) => `${field.name} : ${renderType(field.type, module)}`).join(', ')}}`
    case 'forall': {
      const names = type.parameters.map((parameter) => parameter.name).join(' ')
      return parenthesised(`forall ${names}. ${renderType(type.body, module)}`, position !== 'alone')
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
  if (type.name === 'List' && first) return `[${renderType(first, module)}]`
  if (type.name === 'Arrow' && first && second) {
    const text = `${render(first, module, 'operand')} -> ${renderType(second, module)}`
    return parenthesised(text, position !== 'alone')
  }
  return applied(damlNames[type.name] ?? type.name, type.args, module, position)
}

function renderConstructor(id: Identifier, args: readonly Type[], module: string, position: Position): string {
  if (id.module === tupleModule && tupleName.test(id.name) && args.length > 0) {
    return `(${args.map((arg) => renderType(arg, module)).join(', ')})`
  }
  return applied(id.module === module ? id.name : `${id.module}.${id.name}`, args, module, position)
}

function applied(head: string, args: readonly Type[], module: string, position: Position): string {
  if (args.length === 0) return head
  const text = [head, ...args.map((arg) => render(arg, module, 'argument'))].join(' ')
  return parenthesised(text, position === 'argument')
}

const parenthesised = (text: string, isNeeded: boolean): string => (isNeeded ? `(${text})` : text)
