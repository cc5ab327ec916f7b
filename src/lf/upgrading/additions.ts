// Lists what a package adds to the version before it: the part of an upgrade that breaks nothing.
import type { DataType, Module, Package, Template } from '../syntax/ast.ts'
import { fullName } from '../syntax/names.ts'
import { renderType } from '../syntax/types.ts'
import { isOptional } from './compare-types.ts'
import { type ModuleView, moduleView } from './module-view.ts'
import { subjectOf } from './problems.ts'

export type Addition = {
  /** Undefined for a whole module. */
  readonly module: string | undefined
  /** The definition that is new or has something new, such as `template Iou`. */
  readonly subject: string
  readonly changes: readonly string[]
}

/** Sorted by module. */
export function additionsOf(past: Package, present: Package): Addition[] {
  const additions: Addition[] = []
  for (const module of [...present.modules.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const before = past.modules.get(module.name)
    if (before === undefined)
      additions.push({ module: undefined, subject: `module ${module.name}`, changes: ['added'] })
    else additions.push(...additionsIn(before, module))
  }
  return additions
}

function* additionsIn(past: Module, present: Module): Generator<Addition> {
  const module = present.name
  const view = moduleView(present)
  for (const template of present.templates.values()) {
    const before = past.templates.get(template.name)
    const changes = before === undefined ? ['added'] : inTemplate(before, template, module)
    if (changes.length > 0) yield { module, subject: `template ${template.name}`, changes }
  }
  for (const name of present.interfaces.keys()) {
    if (!past.interfaces.has(name)) yield { module, subject: `interface ${name}`, changes: ['added'] }
  }
  for (const data of present.dataTypes.values()) yield* inDataType(past, data, view)
}

function inTemplate(past: Template, present: Template, module: string): string[] {
  const implemented = new Set(past.interfaceInstances.map((instance) => fullName(instance.interface)))
  return [
    ...[...present.choices.values()]
      .filter(({ name }) => !past.choices.has(name))
      .map(({ name, returnType }) => `choice ${name} : ${renderType(returnType, module)} added`),
    ...present.interfaceInstances
      .filter((instance) => !implemented.has(fullName(instance.interface)))
      .map(({ interface: id }) => `interface instance of ${id.module}:${id.name} added`),
  ]
}

function* inDataType(past: Module, present: DataType, view: ModuleView): Generator<Addition> {
  const before = past.dataTypes.get(present.name)
  const origin = view.originOf(present.name)
  const subject = subjectOf(origin, present.name)
  if (!present.isSerializable) return
  if (before === undefined) {
    if (origin.kind === 'data') yield { module: view.name, subject, changes: ['added'] }
    return
  }
  const changes = newMembers(before, present, view.name)
  if (changes.length > 0) yield { module: view.name, subject, changes }
}

/** Fields that are not Optional are a break, not an addition. */
function newMembers({ constructors: past }: DataType, { constructors: present }: DataType, module: string): string[] {
  if (past.kind === 'enum' && present.kind === 'enum') {
    return present.names.filter((name) => !past.names.includes(name)).map((name) => `constructor ${name} added`)
  }
  if ((past.kind !== 'record' && past.kind !== 'variant') || present.kind !== past.kind) return []
  const known = new Set(past.fields.map(({ name }) => name))
  const word = past.kind === 'record' ? 'field' : 'constructor'
  return present.fields
    .filter(({ name, type }) => !known.has(name) && (word === 'constructor' || isOptional(type)))
    .map(({ name, type }) => `${word} ${name} : ${renderType(type, module)} added`)
}
