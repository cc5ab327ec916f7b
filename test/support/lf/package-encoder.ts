// Writes a package that is given as syntax, as an archive. The opposite of decoding, for generated packages.
import type {
  Choice,
  DataType,
  Exception,
  Expression,
  Identifier,
  Interface,
  Kind,
  Minor,
  Module,
  Package,
  Template,
  Type,
  Value,
} from '../../../src/lf/syntax/ast.ts'
import { createExpressionEncoder } from './expression-encoder.ts'
import { archiveOf, createPackageWriter, goodFlags, payloadOf, sha256, type Written } from './package-writer.ts'
import { bytes, message, varint } from './proto-writer.ts'

export type EncodedPackage = { readonly id: string; readonly archive: Buffer }

/** References to the package's own id, whatever it is, become references to itself; others must be stable packages. */
export function encodePackage(given: Package): EncodedPackage {
  const minor = Number(given.languageVersion.slice(2)) as Minor
  const writer = createPackageWriter(minor)
  const encode = createModuleEncoder(writer, given.id)
  for (const module of given.modules.values()) encode(module)
  const named = message(4, varint(1, writer.string(given.name)), varint(2, writer.string(given.version)))
  const payload = payloadOf(writer.finish(named), `${minor}`)
  return { id: sha256(payload), archive: archiveOf(payload) }
}

function createModuleEncoder(w: ReturnType<typeof createPackageWriter>, ownId: string): (module: Module) => void {
  const written = new Map<string, number>()
  const ids = new Map<Identifier, Written>()
  const expression = createExpressionEncoder({ writer: w, id, type, typeParameter })
  const part = (field: number, body: () => Expression): Buffer => bytes(field, expression(body()))

  function id(of: Identifier): Written {
    const known = ids.get(of)
    if (known) return known
    const content = w.id(of.module, of.name, of.packageId === ownId ? undefined : of.packageId)
    ids.set(of, content)
    return content
  }

  function type(of: Type): Written {
    return w.type(entry(of))
  }

  function entry(of: Type): number {
    const key = JSON.stringify(of)
    const known = written.get(key)
    if (known !== undefined) return known
    const index = newEntry(of)
    written.set(key, index)
    return index
  }

  function newEntry(of: Type): number {
    switch (of.kind) {
      case 'builtin':
        return w.builtinType(of.name, ...of.args.map(entry))
      case 'constructor':
        return w.constructorType(id(of.id), ...of.args.map(entry))
      case 'variable':
        return w.variableType(of.name, ...of.args.map(entry))
      case 'nat':
        return w.addType(varint(6, of.value * 2))
      case 'synonym':
        return w.addType(message(7, bytes(1, id(of.id)), ...of.args.map((arg) => bytes(2, type(arg)))))
      case 'struct':
        return w.addType(message(5, ...of.fields.map((each) => message(1, ...nameAndType(each)))))
      case 'forall': {
        const body = type(of.body)
        const parameters = of.parameters.map((each) => bytes(1, typeParameter(each)))
        if (!w.isFlat) return w.addType(message(4, ...parameters, bytes(2, body)))
        let [index, inner] = [-1, body]
        for (const each of parameters.toReversed()) {
          index = w.addType(message(4, each, bytes(2, inner)))
          inner = w.type(index)
        }
        return index
      }
    }
  }

  const nameAndType = (of: { readonly name: string; readonly type: Type }): Buffer[] => [
    varint(3, w.string(of.name)),
    bytes(2, type(of.type)),
  ]

  function typeParameter(of: { readonly name: string; readonly kind: { readonly kind: string } }): Written {
    return Buffer.concat([varint(3, w.string(of.name)), bytes(2, kind(of.kind as Kind))])
  }

  function kind(of: Kind): Written {
    if (of.kind === 'star') return w.star()
    if (of.kind === 'nat') return w.natKind()
    const arrow = message(2, bytes(1, kind(of.parameter)), bytes(2, kind(of.result)))
    return w.isFlat ? varint(4, w.addKind(arrow)) : arrow
  }

  function dataType({ name, parameters, isSerializable, constructors }: DataType): Buffer {
    return message(
      4,
      varint(2, w.dottedName(name)),
      ...parameters.map((each) => bytes(3, typeParameter(each))),
      varint(4, isSerializable ? 1 : 0),
      constructorsOf(constructors),
    )
  }

  function constructorsOf(of: DataType['constructors']): Buffer {
    if (of.kind === 'interface') return message(8)
    if (of.kind === 'enum') return message(7, ...of.names.map((name) => varint(2, w.string(name))))
    return message(of.kind === 'record' ? 5 : 6, ...of.fields.map((each) => message(1, ...nameAndType(each))))
  }

  function value({ name, type: of, body }: Value): Buffer {
    return message(5, message(2, varint(1, w.dottedName(name)), bytes(2, type(of))), part(3, body))
  }

  function choice(field: number, of: Choice): Buffer {
    return message(
      field,
      varint(2, w.string(of.name)),
      varint(3, of.isConsuming ? 1 : 0),
      part(4, of.controllers),
      part(5, of.observers),
      message(6, ...nameAndType(of.argument)),
      bytes(8, type(of.returnType)),
      part(9, of.update),
      varint(10, w.string(of.selfBinder)),
    )
  }

  function template(of: Template): Buffer {
    const instances = of.interfaceInstances.map((instance) => {
      const methods = [...instance.methods].map(([name, body]) => message(1, varint(1, w.string(name)), part(2, body)))
      return message(10, bytes(1, id(instance.interface)), message(2, ...methods, part(2, instance.view)))
    })
    const { precondition, key } = of
    return message(
      6,
      varint(1, w.dottedName(of.name)),
      varint(2, w.string(of.parameter)),
      ...(precondition ? [part(3, precondition)] : []),
      part(4, of.signatories),
      ...[...of.choices.values()].map((each) => choice(6, each)),
      part(7, of.observers),
      ...(key ? [message(9, bytes(1, type(key.type)), part(3, key.maintainers), part(4, key.body))] : []),
      ...instances,
    )
  }

  function exception({ name, message: body }: Exception): Buffer {
    return message(7, varint(1, w.dottedName(name)), part(3, body))
  }

  function interfaceDefinition(of: Interface): Buffer {
    const methods = [...of.methods].map(([name, returned]) => {
      return message(3, varint(2, w.string(name)), bytes(3, type(returned)))
    })
    return message(
      8,
      varint(2, w.dottedName(of.name)),
      ...methods,
      varint(4, w.string(of.parameter)),
      ...[...of.choices.values()].map((each) => choice(5, each)),
      bytes(6, type(of.viewType)),
      ...of.requires.map((each) => bytes(7, id(each))),
    )
  }

  return (module) => {
    w.addModule(
      varint(1, w.dottedName(module.name)),
      goodFlags,
      ...[...module.dataTypes.values()].map(dataType),
      ...[...module.values.values()].map(value),
      ...[...module.templates.values()].map(template),
      ...[...module.exceptions.values()].map(exception),
      ...[...module.interfaces.values()].map(interfaceDefinition),
    )
  }
}
