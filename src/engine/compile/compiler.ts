// Compilation on demand: a template's parts, an interface's choices or a value become JavaScript at their first use,
// together with all they reach, once for each set of packages.
import {
  type Body,
  type Choice,
  type Identifier,
  type Interface,
  type InterfaceInstance,
  type Module,
  minorOf,
  type Template,
} from '../../lf/syntax/ast.ts'
import { fullName } from '../../lf/syntax/names.ts'
import type { DataTypes, Packages } from '../../lf/values/data-types.ts'
import { asText, KindError } from '../../lf/values/kinds.ts'
import type { LfRecord, LfValue, List } from '../../lf/values/values.ts'
import { apply1, type LfFunction } from '../code/apply.ts'
import type {
  ChoiceCode,
  Code,
  InstanceCode,
  InterfaceCode,
  KeyCode,
  PackageFacts,
  TemplateCode,
  Update,
} from '../code/code.ts'
import { steps } from '../failures/steps.ts'
import { arithmeticMessage, isArithmeticError } from '../values/arithmetic-error.ts'
import { countedChoice } from './counting.ts'
import type { Coverage } from './coverage.ts'
import { parametersOf } from './expressions.ts'
import type { Layout } from './scope.ts'
import { type Callable, type Compiled, compileRoots, type Definition, type Root, type Surroundings } from './script.ts'
import { createSources } from './sources.ts'
import { CodeTooLarge, type Origin } from './writer.ts'

export type Compiler = Code & {
  /** A top-level value: a function, or what it evaluates to. */
  value(id: Identifier): LfValue
  readonly compiled: Compiled
  /** Where in Daml an error was thrown, innermost definition first. */
  originsOf(error: Error): Origin[]
  /** Compiles every part of the package's templates and interfaces now, rather than at first use. */
  compileAhead(packageId: string): void
  /** Compiles whatever the package has, so that all its points are known. Code that is too large is left out. */
  compileAll(packageId: string): void
}

type Kind = 'values' | 'templates' | 'interfaces' | 'exceptions'
type DefinitionOf<K extends Kind> = Module[K] extends ReadonlyMap<string, infer D> ? D : never

/** Compiled at its first call, unless it is compiled ahead. */
type Waiting = { readonly root: () => Root; compiled: Callable | undefined }

type Parts = {
  readonly packages: Packages
  readonly dataTypes: DataTypes
  /** Everything generated code may call by name; some of it needs the compiled code itself. */
  readonly runtime: (code: Code) => Readonly<Record<string, unknown>>
  readonly scriptLengthMax: number
  /** Undefined unless coverage is asked for. */
  readonly coverage: Coverage | undefined
}

export function createCompiler({ packages, dataTypes, runtime, scriptLengthMax, coverage }: Parts): Compiler {
  const definitions = new Map<string, Definition>()
  let definitionsMade = 0
  const templates = memoised(compileTemplate)
  const interfaces = memoised(compileInterface)
  const exceptions = memoised((id) =>
    compile({ ...placeOf(id, 'message'), parameters: [] }, definitionIn(id, 'exceptions').message),
  )
  const values = memoised((id) => {
    const body = { kind: 'value', id, location: undefined } as const
    return compileRoots([{ ...placeOf(id), parameters: [], body }], around)[0]!
  })
  const sources = createSources()
  let waitingRoots: Waiting[] = []
  const compiled: Compiled = { scripts: 0, characters: 0, ms: 0 }

  const compiler: Compiler = {
    compiled,
    template: templates,
    interface: interfaces,
    exceptionMessage(type, exception) {
      const message = isArithmeticError(type) ? arithmeticMessage : exceptions(type)()
      return asText(apply1(message as LfFunction, exception))
    },
    value: (id) => values(id)(),
    originsOf: sources.originsOf,
    compileAhead(packageId) {
      for (const [module, { templates: own, interfaces: ownInterfaces }] of packageOf(packageId).modules) {
        for (const name of own.keys()) templates({ packageId, module, name })
        for (const name of ownInterfaces.keys()) interfaces({ packageId, module, name })
      }
      const waiting = waitingRoots.filter(({ compiled }) => compiled === undefined)
      const functions = compileRoots(
        waiting.map(({ root }) => root()),
        around,
      )
      for (const [index, one] of waiting.entries()) one.compiled = functions[index]!
      waitingRoots = []
    },
    compileAll(packageId) {
      for (const [module, content] of packageOf(packageId).modules) {
        const ids = (names: Iterable<string>) => [...names].map((name) => ({ packageId, module, name }))
        for (const id of ids(content.templates.keys())) templates(id)
        for (const id of ids(content.interfaces.keys())) interfaces(id)
        for (const id of ids(content.exceptions.keys())) exceptions(id)
        for (const id of ids(content.values.keys())) unlessTooLarge(() => values(id))
      }
      for (const waiting of waitingRoots) waiting.compiled ??= compiledOrRefused(waiting)
      waitingRoots = []
    },
  }
  const around: Surroundings = {
    layout: layoutOf(dataTypes),
    runtime: runtime(compiler),
    limits: { scriptLengthMax, check: () => steps.look() },
    define,
    source: (id) => definitionIn(id, 'values').body(),
    forget(uncompiled) {
      for (const { id } of uncompiled) definitions.delete(fullName(id))
    },
    template: templates,
    interface: interfaces,
    compiled,
    coverage,
    remember: sources.remember,
  }

  function define(id: Identifier): Definition {
    const key = fullName(id)
    let definition = definitions.get(key)
    if (definition === undefined) {
      const source = definitionIn(id, 'values').body()
      definitionsMade += 1
      const reference = { name: `v${definitionsMade}`, arity: parametersOf(source).parameters.length }
      definition = { id, reference, state: { source } }
      definitions.set(key, definition)
    }
    return definition
  }

  /** A function that is compiled at its first call. */
  function compile(root: Omit<Root, 'body'>, body: Body): Callable {
    const waiting: Waiting = { root: () => ({ ...root, body: body() }), compiled: undefined }
    waitingRoots.push(waiting)
    return (...args) => {
      waiting.compiled ??= compiledOrRefused(waiting)
      return waiting.compiled(...args)
    }
  }

  /** Code that is too large stays too large: later calls are refused at once. */
  function compiledOrRefused({ root }: Waiting): Callable {
    try {
      return compileRoots([root()], around)[0]!
    } catch (error) {
      if (!(error instanceof CodeTooLarge)) throw error
      return () => {
        throw error
      }
    }
  }

  function compileTemplate(id: Identifier): TemplateCode {
    const template = definitionIn(id, 'templates')
    const { parameter } = template
    const ofContract = <T>(part: string, body: Body) =>
      compile({ ...placeOf(id, part), parameters: [parameter] }, body) as (contract: LfRecord) => T
    return {
      id,
      package: factsOf(id.packageId),
      type: dataTypes.record(id),
      precondition:
        template.precondition === undefined ? () => true : ofContract<boolean>('precondition', template.precondition),
      signatories: ofContract<List>('signatories', template.signatories),
      observers: ofContract<List>('observers', template.observers),
      key: compileKey(id, template),
      choices: mapValues(template.choices, (choice) => compileChoice(id, choice, parameter)),
      instances: new Map(
        template.interfaceInstances.map((instance) => [
          fullName(instance.interface),
          compileInstance(id, instance, parameter),
        ]),
      ),
    }
  }

  function compileKey(id: Identifier, { key, parameter }: Template): KeyCode | undefined {
    if (key === undefined) return undefined
    const maintainers = compile({ ...placeOf(id, 'maintainers'), parameters: [] }, key.maintainers)
    return {
      type: key.type,
      of: compile({ ...placeOf(id, 'key'), parameters: [parameter] }, key.body) as KeyCode['of'],
      maintainers: (value) => apply1(maintainers() as LfFunction, value) as List,
    }
  }

  function compileChoice(of: Identifier, choice: Choice, parameter: string): ChoiceCode {
    const { name, isConsuming, argument, returnType, selfBinder } = choice
    const place = (part: string) => placeOf(of, `choice ${name}${part}`)
    const ofParties = (part: string, body: Body) =>
      compile({ ...place(` ${part}`), parameters: [parameter, argument.name] }, body) as ChoiceCode['controllers']
    return countedChoice(coverage, of, {
      name,
      isConsuming,
      argumentType: argument.type,
      returnType,
      controllers: ofParties('controllers', choice.controllers),
      observers: ofParties('observers', choice.observers),
      update: compile({ ...place(''), parameters: [selfBinder, parameter, argument.name] }, choice.update) as (
        ...args: LfValue[]
      ) => Update,
    })
  }

  function compileInstance(of: Identifier, instance: InterfaceInstance, parameter: string): InstanceCode {
    const as = `as ${nameOf(instance.interface)}`
    return {
      methods: mapValues(instance.methods, (body) => compile({ ...placeOf(of, as), parameters: [parameter] }, body)),
      view: compile({ ...placeOf(of, `${as} view`), parameters: [parameter] }, instance.view),
    }
  }

  function compileInterface(id: Identifier): InterfaceCode {
    const { viewType, requires, choices, parameter }: Interface = definitionIn(id, 'interfaces')
    return {
      id,
      key: fullName(id),
      package: factsOf(id.packageId),
      viewType,
      requires,
      choices: mapValues(choices, (choice) => compileChoice(id, choice, parameter)),
    }
  }

  function factsOf(packageId: string): PackageFacts {
    const { id, name, version, languageVersion } = packageOf(packageId)
    return { id, name, version, minor: minorOf(languageVersion) }
  }

  function packageOf(packageId: string) {
    const found = packages.get(packageId)
    if (found === undefined) throw new KindError(`the package ${packageId} is not known`)
    return found
  }

  function definitionIn<K extends Kind>({ packageId, module, name }: Identifier, kind: K): DefinitionOf<K> {
    const found = packageOf(packageId).modules.get(module)?.[kind].get(name)
    if (found === undefined) throw new KindError(`${packageId}:${module} has no ${name} among its ${kind}`)
    return found as DefinitionOf<K>
  }

  return compiler
}

/** The name of a part of a definition, for errors in it. */
function placeOf(id: Identifier, part = '') {
  return { packageId: id.packageId, definition: part === '' ? nameOf(id) : `${nameOf(id)} ${part}` }
}

function nameOf({ module, name }: Identifier): string {
  return `${module}:${name}`
}

function layoutOf(dataTypes: DataTypes): Layout {
  const indexOf = (names: readonly string[], name: string) => {
    const index = names.indexOf(name)
    if (index < 0) throw new KindError(`there is no field or constructor ${name}`)
    return index
  }
  const tagsOf = (id: Identifier) => {
    const { constructors } = dataTypes.definition(id)
    return constructors.kind === 'enum' ? dataTypes.enum(id).tags : dataTypes.variant(id).tags
  }
  return {
    fieldNames: (id) => dataTypes.record(id).fieldNames,
    slot: (id, field) => dataTypes.record(id).slots[indexOf(dataTypes.record(id).fieldNames, field)]!,
    slots: (id) => dataTypes.record(id).slots,
    rank: (id, tag) => indexOf(tagsOf(id), tag),
    recordClass: (id) => dataTypes.record(id).create,
    variantType: (id) => dataTypes.variant(id),
    enumType: (id) => dataTypes.enum(id),
    enumValue: (id, tag) => dataTypes.enum(id).values[indexOf(tagsOf(id), tag)],
  }
}

function unlessTooLarge(compile: () => void): void {
  try {
    compile()
  } catch (error) {
    if (!(error instanceof CodeTooLarge)) throw error
  }
}

/** Found by the object, which is nearly always the same one, and otherwise by its text. */
function memoised<T>(make: (id: Identifier) => T): (id: Identifier) => T {
  const byObject = new WeakMap<Identifier, T>()
  const byKey = new Map<string, T>()
  return (id) => {
    let value = byObject.get(id)
    if (value === undefined) {
      const key = fullName(id)
      value = byKey.get(key) ?? make(id)
      byKey.set(key, value)
      byObject.set(id, value)
    }
    return value
  }
}

function mapValues<A, B>(map: ReadonlyMap<string, A>, change: (value: A) => B): ReadonlyMap<string, B> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}
