// One script: a root function and every top-level value it reaches that was not compiled before, in one scope, so that
// calls between them are plain calls. Values compiled by earlier scripts come in as constants.
import { compileFunction } from '../../base/generated-code.ts'
import type { Expression, Identifier } from '../../lf/ast.ts'
import { KindError } from '../../lf/kinds.ts'
import type { LfValue } from '../../lf/values.ts'
import { bindAll, compileTo, countStep, parametersOf } from './expressions.ts'
import { bind, type Layout, type Reference, type Scope, type Script } from './scope.ts'
import { compileRun, compileUpdate } from './updates.ts'
import { createWriter, type Origin } from './writer.ts'

/** A top-level value, from when it is first referred to. */
export type Definition = {
  readonly reference: Reference
  readonly id: Identifier
  /** What it is, until it is compiled; then what it became. */
  state: { readonly source: Expression } | { readonly compiled: Callable }
}

export type Callable = (...args: LfValue[]) => LfValue

export type Surroundings = {
  readonly layout: Layout
  /** Everything generated code may call by name. */
  readonly runtime: Readonly<Record<string, unknown>>
  define(id: Identifier): Definition
  template(id: Identifier): unknown
  interface(id: Identifier): unknown
  /** Keeps where the lines of a script came from, and gives the script a name that stack traces will show. */
  remember(origins: readonly Origin[]): string
}

/** What is compiled: a body that sees the parameters named, and what to call it when something goes wrong in it. */
export type Root = {
  readonly packageId: string
  readonly definition: string
  readonly parameters: readonly string[]
  readonly body: Expression
}

/** Compiles roots as functions of their parameters, all of them and what they reach in one script. */
export function compileRoots(roots: readonly Root[], around: Surroundings): Callable[] {
  const { script, imports, pending } = createScript(around)
  const { writer } = script
  const scope: Scope = { ...script, variables: undefined, loop: undefined }

  const rootNames = roots.map((root) => writeRoot(root, scope))
  const compiled: Definition[] = []
  for (let definition = pending.shift(); definition !== undefined; definition = pending.shift()) {
    const { packageId, module, name } = definition.id
    writer.within(`${module}:${name}`, () => writeDefinition(definition, scope), packageId)
    compiled.push(definition)
  }
  const results = [...rootNames, ...compiled.map(({ reference }) => reference.name)].join(', ')
  const sourceName = around.remember(writer.origins)
  const text = `${imports.declarations()}\n${writer.text()}\nreturn [${results}];`
  const run = compileFunction(['imports'], text, sourceName) as (values: readonly unknown[]) => Callable[]
  const functions = run(imports.values)
  const ofRoots = functions.slice(0, roots.length)
  for (const [index, definition] of compiled.entries()) {
    definition.state = { compiled: functions[roots.length + index]! }
  }
  return ofRoots
}

function writeRoot({ packageId, definition, parameters, body }: Root, scope: Scope): string {
  const { writer } = scope
  const rootName = writer.fresh('root')
  const names = parameters.map(() => writer.fresh('a'))
  const head = `const ${rootName} = (${names.join(', ')})`
  const write = () =>
    orFailing(head, scope, () =>
      writer.closure(head, () => {
        const inner = parameters.reduce((outer, name, index) => bind(outer, name, names[index]!), scope)
        compileTo(body, { kind: 'return' }, inner)
      }),
    )
  writer.within(definition, write, packageId)
  return rootName
}

function createScript(around: Surroundings) {
  const writer = createWriter()
  const imports = createImports()
  const pending: Definition[] = []
  const seen = new Set<Definition>()
  const script: Script = {
    writer,
    layout: around.layout,
    updates: { build: compileUpdate, run: compileRun },
    constant: (value) => imports.add(value),
    runtime: (name) => imports.add(around.runtime[name]),
    template: (id) => imports.add(around.template(id)),
    interface: (id) => imports.add(around.interface(id)),
    reference(id) {
      const definition = around.define(id)
      if (!seen.has(definition)) {
        seen.add(definition)
        if ('compiled' in definition.state) imports.addAs(definition.reference.name, definition.state.compiled)
        else pending.push(definition)
      }
      return definition.reference
    },
  }
  return { script, imports, pending }
}

function writeDefinition({ reference, state }: Definition, scope: Scope): void {
  if ('compiled' in state) return
  const { writer } = scope
  const { parameters, body } = parametersOf(state.source)
  if (parameters.length === 0) {
    const head = `const ${reference.name} = ()`
    return orFailing(head, scope, () => writeConstant(reference.name, body, scope))
  }
  const names = parameters.map(() => writer.fresh('p'))
  const inner = parameters.map(() => writer.fresh('a'))
  const label = writer.fresh('l')
  orFailing(`const ${reference.name} = (${names.join(', ')})`, scope, () =>
    writer.block(`function ${reference.name}(${names.join(', ')})`, () => {
      writer.block(`${label}: for (;;)`, () => {
        writer.line(countStep(scope))
        // Constants of this round: functions made in it must not see the parameters of the next.
        writer.line(`const ${inner.map((name, index) => `${name} = ${names[index]}`).join(', ')};`)
        const loop = { self: reference, label, parameters: names }
        compileTo(body, { kind: 'return' }, { ...bindAll(parameters, inner, scope), loop })
      })
    }),
  )
}

/** What cannot be compiled, because no type checker has seen it, fails when it is called: others do not suffer for it. */
function orFailing(head: string, { writer, runtime, constant }: Scope, write: () => void): void {
  try {
    writer.orNothing(write)
  } catch (error) {
    if (!(error instanceof KindError)) throw error
    writer.closure(head, () => writer.line(`${runtime('illTyped')}(${constant(error.message)});`))
  }
}

/** Computed at first use and kept; a failure is not kept. */
function writeConstant(name: string, body: Expression, scope: Scope): void {
  const { writer } = scope
  const value = writer.fresh('k')
  const isKnown = writer.fresh('d')
  const compute = writer.fresh('c')
  writer.line(`let ${value}, ${isKnown} = false;`)
  writer.block(`function ${compute}()`, () => {
    writer.line(countStep(scope))
    compileTo(body, { kind: 'return' }, scope)
  })
  writer.block(`function ${name}()`, () => {
    writer.block(`if (!${isKnown})`, () => writer.line(`${value} = ${compute}(); ${isKnown} = true;`))
    writer.line(`return ${value};`)
  })
}

/** What a script takes in from outside: each value once, under a name of its own. */
function createImports() {
  const values: unknown[] = []
  const names: string[] = []
  const known = new Map<unknown, string>()
  const addAs = (name: string, value: unknown) => {
    known.set(value, name)
    names.push(name)
    values.push(value)
    return name
  }
  return {
    values,
    addAs,
    add: (value: unknown) => known.get(value) ?? addAs(`i${values.length}`, value),
    declarations: () => (names.length === 0 ? '' : `const [${names.join(', ')}] = imports;`),
  }
}
