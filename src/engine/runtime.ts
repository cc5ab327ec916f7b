// What generated code calls beside builtins: making and taking apart values, interfaces, and the count of steps.
import assert from 'node:assert/strict'
import type { Identifier, Type } from '../lf/ast.ts'
import {
  Any,
  Cons,
  type ContractId,
  type LfRecord,
  type LfValue,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../lf/values.ts'
import { apply1, apply2, apply3, applyAll } from './apply.ts'
import type { Code, InterfaceCode, TemplateCode } from './code.ts'
import type { Convert } from './conversion.ts'
import { DamlException, Failure } from './failures.ts'
import { identifierKey, isSameIdentifier, shownIdentifier } from './identifier.ts'
import { steps } from './steps.ts'

/** `builtins` by name, as generated code knows them. */
export function createRuntime(code: Code, builtins: Readonly<Record<string, unknown>>, convert: Convert) {
  const templateOf = (value: LfRecord): TemplateCode => code.template(value.type.id)
  const implementation = (of: InterfaceCode, value: LfRecord) => templateOf(value).instances.get(identifierKey(of.id))

  return {
    ...builtins,
    steps,
    unit,
    nil,
    none,
    Cons,
    Some,
    Variant,
    Any,
    apply1,
    apply2,
    apply3,
    applyAll,
    templateOf,

    noMatch(): never {
      assert.fail('a case has no alternative for its value')
    },
    raise(type: Type, exception: LfValue): never {
      throw new DamlException(new Any(type, exception))
    },
    fromAny(id: Identifier, { type, value }: Any): LfValue {
      return type.kind === 'constructor' && isSameIdentifier(type.id, id) ? new Some(value) : none
    },

    callInterface(of: InterfaceCode, method: string, value: LfRecord): LfValue {
      const found = implementation(of, value)?.methods.get(method)
      assert(found !== undefined, `${value.type.id.name} has no method ${method} of ${of.id.name}`)
      return found(value)
    },
    viewInterface(of: InterfaceCode, value: LfRecord): LfValue {
      const found = implementation(of, value)
      assert(found !== undefined, `${value.type.id.name} does not implement ${of.id.name}`)
      return found.view(value)
    },
    signatoriesOf: (value: LfRecord) => templateOf(value).signatories(value),
    observersOf: (value: LfRecord) => templateOf(value).observers(value),
    templateTypeRep: (value: LfRecord) => new TypeRep({ kind: 'constructor', id: value.type.id, args: [] }),

    /** To another version of its own template, too. */
    fromInterface(template: TemplateCode, value: LfRecord): LfValue {
      const { id } = value.type
      if (isSameIdentifier(id, template.id)) return new Some(value)
      if (id.module !== template.id.module || id.name !== template.id.name) return none
      if (templateOf(value).package.name !== template.package.name) return none
      return new Some(convert({ templateId: id, argument: value }, template))
    },
    unsafeFromInterface(template: TemplateCode, id: ContractId, value: LfRecord): LfValue {
      if (isSameIdentifier(value.type.id, template.id)) return value
      const types = `Expected contract of type ${shownIdentifier(template.id)} but got ${shownIdentifier(value.type.id)}`
      const text = `Update failed due to wrongly typed contract id ${id.text}\n${types}`
      throw new Failure('WRONGLY_TYPED_CONTRACT', text, {
        CONTRACT_ID: id.text,
        TEMPLATE_ID: identifierKey(template.id),
        actualTemplateId: identifierKey(value.type.id),
      })
    },
    fromRequiredInterface(requiring: InterfaceCode, value: LfRecord): LfValue {
      return implementation(requiring, value) === undefined ? none : new Some(value)
    },
    unsafeFromRequiredInterface(
      required: InterfaceCode,
      requiring: InterfaceCode,
      id: ContractId,
      value: LfRecord,
    ): LfValue {
      if (implementation(requiring, value) !== undefined) return value
      const interfaces = `${shownIdentifier(requiring.id)} requirring the interface ${shownIdentifier(required.id)}`
      const type = shownIdentifier(value.type.id)
      throw new Failure(
        'CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE',
        `Update failed due to contract ${id.text} not implementing the requiring interface\n` +
          `Expected contract to implement interface ${interfaces} but contract has type ${type}`,
        {
          CONTRACT_ID: id.text,
          TEMPLATE_ID: identifierKey(value.type.id),
          INTERFACE_ID: identifierKey(required.id),
          requiringInterfaceId: identifierKey(requiring.id),
        },
      )
    },
  }
}
