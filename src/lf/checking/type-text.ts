// Writes types as text in the two forms of the reference: one for people, and one that prints its own data.
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { fullName, qualifiedName } from '../syntax/names.ts'
import { printKind } from './kinds.ts'
import { separated, type TextWriter, textOf } from './limits.ts'
import type { Type } from './type.ts'

/** How tightly a type binds where it stands. */
const precedence = { forall: 0, function: 1, application: 2, argument: 3 }

/** The reference's names of builtin types, where they differ from ours. */
const builtinNames: Partial<Record<BuiltinTypeName, string>> = {}

const builtinName = (type: Type): string => builtinNames[type.name as BuiltinTypeName] ?? type.name

export const prettyType = (type: Type): string => textOf((to) => writePretty(to, type, precedence.forall))
export const prettyTypes = (types: readonly Type[]): string => {
  return textOf((to) => separated(to, types, ' ', (type) => writePretty(to, type, precedence.forall)))
}

function writePretty(to: TextWriter, type: Type, at: number): void {
  switch (type.tag) {
    case 'variable':
      return to.write(type.name)
    case 'nat':
      return to.write(`${type.value}`)
    case 'constructor':
      return to.write(qualifiedName(type.identifier!))
    case 'builtin':
      return to.write(type.name === 'Arrow' ? '(->)' : builtinName(type))
    case 'synonym':
      return parenthesised(to, at > precedence.application, () => {
        to.write(`${qualifiedName(type.identifier!)} `)
        separated(to, type.parts, ' ', (part) => writePretty(to, part, precedence.argument))
      })
    case 'struct': {
      to.write('(')
      separated(to, type.fieldNames.entries(), ', ', ([index, name]) => {
        to.write(`${name}: `)
        writePretty(to, type.parts[index]!, precedence.forall)
      })
      return to.write(')')
    }
    case 'forall':
      return parenthesised(to, at > precedence.forall, () => {
        to.write('∀')
        let body = type
        for (let isFirst = true; body.tag === 'forall'; isFirst = false) {
          to.write(isFirst ? body.name : ` ${body.name}`)
          body = body.left!
        }
        to.write('. ')
        writePretty(to, body, precedence.forall)
      })
    case 'application':
      return writeApplication(to, type, at)
  }
}

function writeApplication(to: TextWriter, type: Type, at: number): void {
  const { left, right } = type
  if (left!.tag === 'application' && left!.left!.tag === 'builtin' && left!.left!.name === 'Arrow') {
    return parenthesised(to, at > precedence.function, () => {
      writePretty(to, left!.right!, precedence.function + 1)
      to.write(' → ')
      writePretty(to, right!, precedence.function)
    })
  }
  return parenthesised(to, at > precedence.application, () => {
    writePretty(to, left!, precedence.application)
    to.write(' ')
    writePretty(to, right!, precedence.argument)
  })
}

function parenthesised(to: TextWriter, isNeeded: boolean, write: () => void): void {
  if (isNeeded) to.write('(')
  write()
  if (isNeeded) to.write(')')
}

/** As in `TApp(TBuiltin(BTList),TVar(a))`. */
export function printType(to: TextWriter, type: Type): void {
  switch (type.tag) {
    case 'variable':
      return to.write(`TVar(${type.name})`)
    case 'nat':
      return to.write(`TNat(${type.value})`)
    case 'constructor':
      return to.write(`TTyCon(${fullName(type.identifier!)})`)
    case 'builtin':
      return to.write(`TBuiltin(BT${builtinName(type)})`)
    case 'synonym':
      to.write(`TSynApp(${fullName(type.identifier!)},`)
      printTypes(to, type.parts)
      return to.write(')')
    case 'struct':
      to.write('TStruct(Struct(')
      separated(to, type.fieldNames.entries(), ',', ([index, name]) => {
        to.write(`(${name},`)
        printType(to, type.parts[index]!)
        to.write(')')
      })
      return to.write('))')
    case 'forall':
      to.write(`TForall((${type.name},`)
      printKind(to, type.kind!)
      to.write('),')
      printType(to, type.left!)
      return to.write(')')
    case 'application':
      to.write('TApp(')
      printType(to, type.left!)
      to.write(',')
      printType(to, type.right!)
      return to.write(')')
  }
}

export function printTypes(to: TextWriter, types: readonly Type[]): void {
  to.write('ImmArray(')
  separated(to, types, ',', (type) => printType(to, type))
  to.write(')')
}
