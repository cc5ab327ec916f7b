// Well-typed packages for tests, from a description of their types: every expression in them is an error, which has any
// type. For what is decided by signatures alone, such as upgrades.
import type { Identifier, Kind, Minor, Type } from '../../../src/lf/syntax/ast.ts'
import { builtins } from '../../../src/lf/syntax/builtins.ts'
import { archiveOf, createPackageWriter, darOf, goodFlags, payloadOf, sha256, type Written } from './package-writer.ts'
import { bytes, message, text, varint } from './proto-writer.ts'

/** In a description, the package itself has this id. */
export const self = 'self'

type Fields = Readonly<Record<string, Type>>

export type DescribedData = {
  readonly parameters?: readonly (readonly [name: string, kind: Kind])[]
  readonly isSerializable?: boolean
} & (
  | { readonly record: Fields }
  | { readonly variant: Fields }
  | { readonly enum: readonly string[] }
  /** The type of the values of an interface with the same name. */
  | { readonly interface: true }
)

export type DescribedTemplate = {
  /** Choices with the types they return. The argument is the record of the choice's name, or nothing. */
  readonly choices?: Fields
  /** LF 2.3. */
  readonly key?: Type
  readonly implements?: readonly Identifier[]
}

export type DescribedModule = {
  readonly data?: Readonly<Record<string, DescribedData>>
  /** Each needs a record of its name. */
  readonly templates?: Readonly<Record<string, DescribedTemplate>>
  /** With the record that is its view. */
  readonly interfaces?: Readonly<Record<string, string>>
  /** Each needs a record of its name. */
  readonly exceptions?: readonly string[]
  readonly synonyms?: Fields
  readonly values?: Fields
}

export type DescribedPackage = {
  readonly name?: string
  readonly version?: string
  readonly minor?: Minor
  readonly modules: Readonly<Record<string, DescribedModule>>
}

export type WrittenPackage = { readonly id: string; readonly archive: Buffer }

export function writePackage(described: DescribedPackage): WrittenPackage {
  const { name = 'test-package', version = '1.0.0', minor = 1 } = described
  const writer = createWriter(minor)
  for (const [module, content] of Object.entries(described.modules)) writer.module(module, content)
  const payload = payloadOf(writer.finish(name, version), `${minor}`)
  return { id: sha256(payload), archive: archiveOf(payload) }
}

/** The main package first, then the ones it needs. */
export function darWith(...packages: readonly WrittenPackage[]): Buffer {
  return darOf(Object.fromEntries(packages.map(({ id, archive }) => [`${id}.dalf`, archive])))
}

function createWriter(minor: Minor) {
  const w = createPackageWriter(minor)
  const imports: string[] = []
  const written = new Map<Type, number>()

  function id({ packageId, module, name }: Identifier): Written {
    if (packageId === self) return w.id(module, name)
    if (minor === 1) return w.id(module, name, packageId)
    const index = imports.includes(packageId) ? imports.indexOf(packageId) : imports.push(packageId) - 1
    const from = message(1, varint(4, index))
    return Buffer.concat([message(1, from, varint(2, w.dottedName(module))), varint(2, w.dottedName(name))])
  }

  function type(of: Type): number {
    const known = written.get(of)
    if (known !== undefined) return known
    const index = newType(of)
    written.set(of, index)
    return index
  }

  function newType(of: Type): number {
    if (of.kind === 'builtin') return w.builtinType(of.name, ...of.args.map(type))
    if (of.kind === 'constructor') return w.constructorType(id(of.id), ...of.args.map(type))
    if (of.kind === 'variable') return w.variableType(of.name, ...of.args.map(type))
    if (of.kind === 'nat') return w.addType(varint(6, of.value * 2))
    if (of.kind === 'synonym')
      return w.addType(message(7, bytes(1, id(of.id)), ...of.args.map((a) => bytes(2, w.type(type(a))))))
    throw new Error(`no ${of.kind} types in described packages`)
  }

  function kind(of: Kind): Written {
    if (of.kind === 'star') return w.star()
    if (of.kind === 'nat') return w.natKind()
    const arrow = message(2, bytes(1, kind(of.parameter)), bytes(2, kind(of.result)))
    return w.isFlat ? varint(4, w.addKind(arrow)) : arrow
  }

  /** `ERROR @type ""` */
  function anything(of: number): Written {
    const error = w.expression(varint(4, builtins.ERROR.proto))
    const applied = w.expression(message(16, bytes(1, error), bytes(2, w.type(of))))
    return w.expression(message(15, bytes(1, applied), bytes(2, w.expression(message(6, varint(4, w.string('')))))))
  }

  const party: Type = { kind: 'builtin', name: 'Party', args: [] }
  const unit: Type = { kind: 'builtin', name: 'Unit', args: [] }
  const text_: Type = { kind: 'builtin', name: 'Text', args: [] }
  const own = (module: string, name: string): Type => ({
    kind: 'constructor',
    id: { packageId: self, module, name },
    args: [],
  })
  const builtin = (name: 'List' | 'Update' | 'Arrow', ...args: Type[]): Type => ({ kind: 'builtin', name, args })
  const parties = builtin('List', party)

  const fields = (of: Fields) =>
    Object.entries(of).map(([name, each]) => message(1, varint(3, w.string(name)), bytes(2, w.type(type(each)))))

  function constructors(data: DescribedData): Buffer {
    if ('record' in data) return message(5, ...fields(data.record))
    if ('variant' in data) return message(6, ...fields(data.variant))
    if ('enum' in data) return message(7, ...data.enum.map((name) => varint(2, w.string(name))))
    return message(8)
  }

  function dataType(name: string, data: DescribedData): Buffer {
    const parameters = (data.parameters ?? []).map(([parameter, of]) =>
      message(3, varint(3, w.string(parameter)), bytes(2, kind(of))),
    )
    const isSerializable = data.isSerializable ?? !('interface' in data)
    return message(
      4,
      varint(2, w.dottedName(name)),
      ...parameters,
      varint(4, isSerializable ? 1 : 0),
      constructors(data),
    )
  }

  function template(module: string, content: DescribedModule, name: string, of: DescribedTemplate): Buffer {
    const choices = Object.entries(of.choices ?? {}).map(([choice, returns]) => {
      const prefix = name.slice(0, name.lastIndexOf('.') + 1)
      const hasRecord = content.data !== undefined && Object.hasOwn(content.data, `${prefix}${choice}`)
      return message(
        6,
        varint(2, w.string(choice)),
        varint(3, 1),
        bytes(4, anything(type(parties))),
        bytes(5, anything(type(parties))),
        message(
          6,
          varint(3, w.string('arg')),
          bytes(2, w.type(type(hasRecord ? own(module, `${prefix}${choice}`) : unit))),
        ),
        bytes(8, w.type(type(returns))),
        bytes(9, anything(type(builtin('Update', returns)))),
        varint(10, w.string('self')),
      )
    })
    const instances = (of.implements ?? []).map((each) => {
      const view: Type = { kind: 'constructor', id: { ...each, name: `${each.name}View` }, args: [] }
      return message(10, bytes(1, id(each)), message(2, bytes(2, anything(type(view)))))
    })
    const key = of.key && [
      bytes(1, w.type(type(of.key))),
      bytes(3, anything(type(builtin('Arrow', of.key, parties)))),
      bytes(4, anything(type(of.key))),
    ]
    return message(
      6,
      varint(1, w.dottedName(name)),
      varint(2, w.string('this')),
      bytes(4, anything(type(parties))),
      ...choices,
      bytes(7, anything(type(parties))),
      ...(key ? [message(9, ...key)] : []),
      ...instances,
    )
  }

  return {
    module(name: string, content: DescribedModule): void {
      const each = <T>(of: Readonly<Record<string, T>> | undefined) => Object.entries(of ?? {})
      w.addModule(
        varint(1, w.dottedName(name)),
        goodFlags,
        ...each(content.synonyms).map(([synonym, of]) =>
          message(3, varint(2, w.dottedName(synonym)), bytes(4, w.type(type(of)))),
        ),
        ...each(content.data).map(([data, of]) => dataType(data, of)),
        ...each(content.values).map(([value, of]) => {
          const named = message(2, varint(1, w.dottedName(value)), bytes(2, w.type(type(of))))
          return message(5, named, bytes(3, anything(type(of))))
        }),
        ...each(content.templates).map(([one, of]) => template(name, content, one, of)),
        ...(content.exceptions ?? []).map((exception) =>
          message(
            7,
            varint(1, w.dottedName(exception)),
            bytes(3, anything(type(builtin('Arrow', own(name, exception), text_)))),
          ),
        ),
        ...each(content.interfaces).map(([one, view]) =>
          message(
            8,
            varint(2, w.dottedName(one)),
            varint(4, w.string('this')),
            bytes(6, w.type(type(own(name, view)))),
          ),
        ),
      )
    },
    finish(name: string, version: string): Buffer {
      if (imports.length > 0) w.addField(message(9, ...imports.map((each) => text(1, each))))
      return w.finish(message(4, varint(1, w.string(name)), varint(2, w.string(version))))
    },
  }
}
