// One script: a root function and every top-level value it reaches that was not compiled before, in one scope, so that
// calls between them are plain calls. Values compiled by earlier scripts come in as constants.
import { types } from 'node:util'
import { wallClock } from '../../base/clock.ts'
import { compileFunction } from '../../base/generated-code.ts'
import type { Expression, Identifier } from '../../lf/syntax/ast.ts'
import { KindError } from '../../lf/values/kinds.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { coveredDefinition } from './counting.ts'
import type { Coverage } from './coverage.ts'
import { bindAll, compileTo, countStep, parametersOf } from './expressions.ts'
import { bind, type Layout, type Reference, type Scope, type Script } from './scope.ts'
import { compileRun, compileUpdate } from './update-code.ts'
import { createWriter, type Origin, tooLarge, type WriterLimits } from './writer.ts'

/** A top-level value, from its first reference on. */
export type Definition = {
  readonly reference: Reference
  readonly id: Identifier
  /** Its source until it is compiled, then the result. */
  state: { readonly source: Expression } | { readonly compiled: Callable }
}

export type Callable = (...args: LfValue[]) => LfValue

export type Surroundings = {
  readonly layout: Layout
  readonly limits: WriterLimits
  /** Everything generated code may call by name. */
  readonly runtime: Readonly<Record<string, unknown>>
  define(id: Identifier): Definition
  source(id: Identifier): Expression
  /** Drops definitions that were not compiled after all. */
  forget(definitions: readonly Definition[]): void
  template(id: Identifier): unknown
  interface(id: Identifier): unknown
  readonly compiled: Compiled
  /** Undefined unless coverage is asked for. */
  readonly coverage: Coverage | undefined
  /** Records where the lines of a script came from, and names the script as stack traces will show it. */
  remember(origins: readonly Origin[]): string
}

/** A unit of compilation: a body that sees the named parameters, and a name for errors in it. */
export type Root = {
  readonly packageId: string
  readonly definition: string
  readonly parameters: readonly string[]
  readonly body: Expression
}

/** Compiled so far. */
export type Compiled = { scripts: number; characters: number; ms: number }

/** Compiles roots to functions of their parameters, all of them and what they reach in one script. */
export function compileRoots(roots: readonly Root[], around: Surroundings): Callable[] {
  const script = createScript(around)
  const startedMs = wallClock.elapsedMs()
  try {
    return compileScript(roots, script, around)
  } catch (error) {
    // Otherwise their expressions would stay in memory for nothing.
    around.forget(script.met.filter(({ state }) => 'source' in state))
    throw error
  } finally {
    around.compiled.scripts += 1
    around.compiled.ms += wallClock.elapsedMs() - startedMs
  }
}

function compileScript(
  roots: readonly Root[],
  { parts, imports, pending }: ReturnType<typeof createScript>,
  around: Surroundings,
): Callable[] {
  const { writer } = parts
  const within = (packageId: string, definition: string, body: Expression, write: (scope: Scope) => void) => {
    const covered = coveredDefinition(around.coverage, packageId, definition, body)
    writer.within(packageId, definition, () => write({ ...parts, variables: undefined, loop: undefined, covered }))
  }

  const rootNames = roots.map((root) => {
    const name = writer.fresh('root')
    within(root.packageId, root.definition, root.body, (scope) => writeRoot(name, root, scope))
    return name
  })
  const compiled: Definition[] = []
  for (let definition = pending.shift(); definition !== undefined; definition = pending.shift()) {
    const { packageId, module, name } = definition.id
    const { state } = definition
    if ('source' in state) {
      within(packageId, `${module}:${name}`, state.source, (scope) => writeDefinition(definition, state.source, scope))
    }
    compiled.push(definition)
  }
  const results = [...rootNames, ...compiled.map(({ reference }) => reference.name)].join(', ')
  const sourceName = around.remember(writer.origins)
  const text = `${imports.declarations()}\n${writer.text()}\nreturn [${results}];`
  around.compiled.characters += text.length
  const functions = parsed(text, sourceName)(imports.values)
  const ofRoots = functions.slice(0, roots.length)
  for (const [index, definition] of compiled.entries()) {
    definition.state = { compiled: functions[roots.length + index]! }
  }
  return ofRoots
}

/** V8 has limits of its own, such as the number of arguments, and reports them as syntax errors. */
function parsed(text: string, sourceName: string): (imports: readonly unknown[]) => Callable[] {
  try {
    return compileFunction(['imports'], text, sourceName) as ReturnType<typeof parsed>
  } catch (error) {
    throw types.isNativeError(error) && error.name === 'SyntaxError' ? tooLarge(error.message) : error
  }
}

function writeRoot(rootName: string, { parameters, body }: Root, scope: Scope): void {
  const { writer } = scope
  const names = parameters.map(() => writer.fresh('a'))
  const head = `function ${rootName}(${names.join(', ')})`
  orFailing(head, scope, () =>
    writer.block(head, () => {
      const inner = parameters.reduce((outer, name, index) => bind(outer, name, names[index]!), scope)
      compileTo(body, { kind: 'return' }, inner)
    }),
  )
}

function createScript(around: Surroundings) {
  const writer = createWriter(around.limits)
  const imports = createImports()
  const pending: Definition[] = []
  const seen = new Set<Definition>()
  const met: Definition[] = []
  const parts: Script = {
    writer,
    layout: around.layout,
    updates: { build: compileUpdate, run: compileRun },
    constant: (value) => imports.add(value),
    runtime: (name) => imports.add(around.runtime[name]),
    source: around.source,
    template: (id) => imports.add(around.template(id)),
    interface: (id) => imports.add(around.interface(id)),
    reference(id) {
      const definition = around.define(id)
      if (!seen.has(definition)) {
        seen.add(definition)
        met.push(definition)
        if ('compiled' in definition.state) imports.addAs(definition.reference.name, definition.state.compiled)
        else pending.push(definition)
      }
      return definition.reference
    },
  }
  return { parts, imports, pending, met }
}

function writeDefinition({ reference }: Definition, source: Expression, scope: Scope): void {
  const { writer } = scope
  const { parameters, body } = parametersOf(source)
  if (parameters.length === 0) {
    return orFailing(`function ${reference.name}()`, scope, () => writeConstant(reference.name, body, scope))
  }
  const names = parameters.map(() => writer.fresh('p'))
  const inner = parameters.map(() => writer.fresh('a'))
  const label = writer.fresh('l')
  const head = `function ${reference.name}(${names.join(', ')})`
  orFailing(head, scope, () =>
    writer.block(head, () => {
      writer.block(`${label}: for (;;)`, () => {
        writer.line(countStep(scope))
        // Constants of this iteration: functions made in it must not see the parameters of the next.
        writer.line(`const ${inner.map((name, index) => `${name} = ${names[index]}`).join(', ')};`)
        const loop = { self: reference, label, parameters: names }
        compileTo(body, { kind: 'return' }, { ...bindAll(parameters, inner, scope), loop })
      })
    }),
  )
}

/** Code that cannot be compiled, because no type checker has seen it, fails when it is called; other code works. */
function orFailing(head: string, { writer, runtime, constant }: Scope, write: () => void): void {
  try {
    writer.orNothing(write)
  } catch (error) {
    if (!(error instanceof KindError)) throw error
    writer.block(head, () => writer.line(`${runtime('illTyped')}(${constant(error.message)});`))
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

/** What a script imports: each value once, under a name of its own. */
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
