// An OpenAPI document for the users of one package: where the API has any Daml value, it says which values the
// package's templates and interfaces take and return. Templates and interfaces are named by package name.
import type { Choice, Identifier, Type } from '../lf/syntax/ast.ts'
import { createSchemaWriter, orNull, qualified, type Schema } from './json-schemas.ts'
import { type PackageSet, reachableInterfaces, referenceTo } from './package-set.ts'

type Components = Record<string, Schema>
export type Document = {
  readonly info: { readonly description: string; readonly [key: string]: unknown }
  readonly components: { readonly schemas: Components; readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

/** A template or an interface, and how events name it: by package id. */
type Entity = {
  readonly id: Identifier
  readonly reference: string
  readonly inEvents: Schema
  readonly choices: ReadonlyMap<string, Choice>
}
type TemplateEntity = Entity & { readonly payload: Type; readonly key: Type | undefined }
type InterfaceEntity = Entity & { readonly view: Type }

export function typedDocument(document: Document, packages: PackageSet): Document {
  const { main } = packages
  const { templates, interfaces } = entitiesOf(packages)
  const { schemaOf, components } = createSchemaWriter(packages)
  const schemas: Components = { ...document.components.schemas }

  /** Replaces a general component by the variants that this package has. */
  function specialise(name: string, variants: readonly { of: string; properties: Schema }[]): void {
    const general = schemas[name]
    if (general === undefined || variants.length === 0) return
    const references = variants.map(({ of, properties }) => {
      const own = `${name}.${of}`
      schemas[own] = { ...general, properties: { ...(general.properties as Schema), ...properties } }
      return { $ref: `#/components/schemas/${own}` }
    })
    schemas[name] = { description: general.description, oneOf: references }
  }

  const withChoices = <E extends Entity>(entities: readonly E[], propertiesOf: (entity: E, choice: Choice) => Schema) =>
    entities.flatMap((entity) =>
      [...entity.choices.values()].map((choice) => ({
        of: `${qualified(entity.id, packages)}.${choice.name.replaceAll('$', '_')}`,
        properties: { choice: only(choice.name), ...propertiesOf(entity, choice) },
      })),
    )
  const each = <E extends Entity>(entities: readonly E[], propertiesOf: (entity: E) => Schema) =>
    entities.map((entity) => ({ of: qualified(entity.id, packages), properties: propertiesOf(entity) }))
  const argumentOf = (choice: Choice) => ({ choiceArgument: schemaOf(choice.argument.type) })
  const named = ({ reference }: Entity) => ({ templateId: only(reference) })

  function specialiseCommands(): void {
    const keyed = templates.filter(({ key }) => key !== undefined)
    specialise(
      'CreateCommand',
      each(templates, (one) => ({ ...named(one), createArguments: schemaOf(one.payload) })),
    )
    specialise(
      'ExerciseCommand',
      withChoices([...templates, ...interfaces], (one, choice) => ({ ...named(one), ...argumentOf(choice) })),
    )
    specialise(
      'CreateAndExerciseCommand',
      withChoices(templates, (one, choice) => ({
        ...named(one),
        createArguments: schemaOf(one.payload),
        ...argumentOf(choice),
      })),
    )
    specialise(
      'ExerciseByKeyCommand',
      withChoices(keyed, (one, choice) => ({
        ...named(one),
        contractKey: schemaOf(one.key!),
        ...argumentOf(choice),
      })),
    )
  }

  function specialiseEvents(): void {
    specialise(
      'CreatedEvent',
      each(templates, ({ inEvents, payload, key }) => ({
        templateId: inEvents,
        packageName: only(main.name),
        createArgument: schemaOf(payload),
        ...(key !== undefined && { contractKey: schemaOf(key) }),
      })),
    )
    specialise('ExercisedEvent', [
      ...withChoices(templates, ({ inEvents }, choice) => ({ templateId: inEvents, ...exercised(choice) })),
      ...withChoices(interfaces, ({ inEvents }, choice) => ({ interfaceId: inEvents, ...exercised(choice) })),
    ])
    specialise(
      'JsInterfaceView',
      each(interfaces, ({ inEvents, view }) => ({ interfaceId: inEvents, viewValue: orNull(schemaOf(view)) })),
    )
  }

  function exercised(choice: Choice): Schema {
    return { ...argumentOf(choice), exerciseResult: schemaOf(choice.returnType) }
  }

  specialiseCommands()
  specialiseEvents()
  const about = `Commands and events are those of package ${main.name} ${main.version}.`
  return {
    ...document,
    info: { ...document.info, description: `${document.info.description} ${about}` },
    components: { ...document.components, schemas: { ...schemas, ...Object.fromEntries(components) } },
  }
}

/** `.` and `$` are the only characters of names that are special in patterns. */
const literally = (name: string): string => name.replaceAll(/[.$]/g, '\\$&')
const only = (value: string): Schema => ({ type: 'string', enum: [value] })

function entitiesOf(packages: PackageSet): { templates: TemplateEntity[]; interfaces: InterfaceEntity[] } {
  const { id: packageId, modules } = packages.main
  const named = (id: Identifier) => {
    const inEvents = { type: 'string', pattern: `^[^:]+:${literally(id.module)}:${literally(id.name)}$` }
    return { id, reference: referenceTo(id, packages), inEvents }
  }
  const templates = [...modules.values()].flatMap((module) =>
    [...module.templates.values()].map(({ name, key, choices }): TemplateEntity => {
      const entity = named({ packageId, module: module.name, name })
      const payload: Type = { kind: 'constructor', id: entity.id, args: [] }
      return { ...entity, payload, key: key?.type, choices }
    }),
  )
  const interfaces = reachableInterfaces(packages).map(({ id, declared }): InterfaceEntity => {
    return { ...named(id), view: declared.viewType, choices: declared.choices }
  })
  return { templates, interfaces }
}
