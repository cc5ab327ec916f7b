// What generated code calls besides builtins: it makes and takes apart values, resolves interfaces and counts steps.
// Nothing here trusts the kind of a value: see kinds.ts.
import type { Identifier, Type } from '../../lf/syntax/ast.ts'
import { fullName, isSameIdentifier, shownIdentifier } from '../../lf/syntax/names.ts'
import { asContractId, KindError, wrongKind } from '../../lf/values/kinds.ts'
import {
  Any,
  Cons,
  LfRecord,
  LfStruct,
  type LfValue,
  nil,
  none,
  Some,
  TypeRep,
  unit,
  Variant,
} from '../../lf/values/values.ts'
import { apply1, apply2, apply3, applyAll, asUpdate } from '../code/apply.ts'
import type { Code, InstanceCode, InterfaceCode, TemplateCode } from '../code/code.ts'
import { DamlException, Failure } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'
import type { Convert } from '../transaction/conversion.ts'
import { runWatchingAssertion } from './counting.ts'

/** `builtins` are keyed by the names that generated code uses. */
export function createRuntime(code: Code, builtins: Readonly<Record<string, unknown>>, convert: Convert) {
  const templateOf = (value: LfValue): TemplateCode => code.template(asRecord(value).type.id)
  const implementation = (of: InterfaceCode, value: LfValue): InstanceCode | undefined =>
    templateOf(value).instances.get(of.key)
  const requiredImplementation = (of: InterfaceCode, value: LfValue): InstanceCode =>
    implementation(of, value) ?? wrongKind(`a contract that implements ${of.id.module}:${of.id.name}`)

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
    wrongKind,
    asUpdate,
    updateStruct,
    watchAssertion: runWatchingAssertion,

    illTyped(reason: string): never {
      throw new KindError(reason)
    },
    noMatch(): never {
      throw new KindError('a case has no alternative for its value')
    },
    raise(type: Type, exception: LfValue): never {
      throw new DamlException(new Any(type, asRecord(exception)))
    },
    fromAny(id: Identifier, any: LfValue): LfValue {
      if (!(any instanceof Any)) return wrongKind('an Any')
      const { type, value } = any
      return type.kind === 'constructor' && isSameIdentifier(type.id, id) ? new Some(value) : none
    },

    callInterface(of: InterfaceCode, method: string, value: LfValue): LfValue {
      const found = requiredImplementation(of, value).methods.get(method)
      return found === undefined ? wrongKind(`a contract with the method ${method}`) : found(value as LfRecord)
    },
    viewInterface: (of: InterfaceCode, value: LfValue): LfValue =>
      requiredImplementation(of, value).view(value as LfRecord),
    signatoriesOf: (value: LfValue) => templateOf(value).signatories(value as LfRecord),
    observersOf: (value: LfValue) => templateOf(value).observers(value as LfRecord),
    templateTypeRep: (value: LfValue) => new TypeRep({ kind: 'constructor', id: asRecord(value).type.id, args: [] }),

    /** Also casts to another version of its own template. */
    fromInterface(template: TemplateCode, contract: LfValue): LfValue {
      const value = asRecord(contract)
      const { id } = value.type
      if (isSameIdentifier(id, template.id)) return new Some(value)
      if (id.module !== template.id.module || id.name !== template.id.name) return none
      if (templateOf(value).package.name !== template.package.name) return none
      return new Some(convert({ templateId: id, argument: value }, template))
    },
    unsafeFromInterface(template: TemplateCode, contractId: LfValue, contract: LfValue): LfValue {
      const [id, value] = [asContractId(contractId), asRecord(contract)]
      if (isSameIdentifier(value.type.id, template.id)) return value
      const types = `Expected contract of type ${shownIdentifier(template.id)} but got ${shownIdentifier(value.type.id)}`
      const text = `Update failed due to wrongly typed contract id ${id.text}\n${types}`
      throw new Failure('WRONGLY_TYPED_CONTRACT', text, {
        CONTRACT_ID: id.text,
        TEMPLATE_ID: fullName(template.id),
        actualTemplateId: fullName(value.type.id),
      })
    },
    fromRequiredInterface(requiring: InterfaceCode, value: LfValue): LfValue {
      return implementation(requiring, value) === undefined ? none : new Some(value)
    },
    unsafeFromRequiredInterface(
      required: InterfaceCode,
      requiring: InterfaceCode,
      contractId: LfValue,
      contract: LfValue,
    ): LfValue {
      const [id, value] = [asContractId(contractId), asRecord(contract)]
      if (implementation(requiring, value) !== undefined) return value
      const interfaces = `${shownIdentifier(requiring.id)} requirring the interface ${shownIdentifier(required.id)}`
      const type = shownIdentifier(value.type.id)
      throw new Failure(
        'CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE',
        `Update failed due to contract ${id.text} not implementing the requiring interface\n` +
          `Expected contract to implement interface ${interfaces} but contract has type ${type}`,
        {
          CONTRACT_ID: id.text,
          TEMPLATE_ID: fullName(value.type.id),
          INTERFACE_ID: fullName(required.id),
          requiringInterfaceId: fullName(requiring.id),
        },
      )
    },
  }
}

function asRecord(value: LfValue): LfRecord {
  return value instanceof LfRecord ? value : wrongKind('a record')
}

function updateStruct(struct: LfValue, field: string, value: LfValue): LfValue {
  if (!(struct instanceof LfStruct)) return wrongKind('a struct')
  const { fieldNames, fieldsOf, create } = struct.type
  const index = fieldNames.indexOf(field)
  if (index < 0) return wrongKind('a struct with such a field')
  const fields = fieldsOf(struct)
  fields[index] = value
  return new create(...fields)
}
