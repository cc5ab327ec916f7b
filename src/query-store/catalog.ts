// What the store knows of packages: the numbers of templates, interfaces and choices, and which template implements which
// interface. Names come from the packages themselves, so a name is known before there is a contract; a package that cannot
// be read is known by the names in its events.
import type pg from 'pg'
import type { Log } from '../base/log.ts'
import { type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'
import { decodePayload } from '../lf/archive/archive.ts'
import type { Package } from '../lf/syntax/ast.ts'
import { filterNamesOf, type NameFilter } from './name-filter.ts'

export type PackageRow = { readonly pk: number; readonly name: string }

export type Catalog = {
  /** Undefined if the store does not know the package yet. */
  packageOf(packageId: string): PackageRow | undefined
  /** `package:Module:Entity` to its number. */
  typeOf(fqn: string): number | undefined
  /** `package:Module:Entity:Choice` to its number. */
  choiceOf(fqn: string): number | undefined
  /** The interfaces that a template implements, in whatever version of its package. */
  interfacesOf(template: number): readonly number[]
  /** `#package:Module:Interface` of every interface, for filters. */
  readonly interfaces: readonly string[]
  /** Whether the store keeps the contracts of a template, or the views of an interface. */
  isKept(type: number): boolean
  /** Whether it keeps them as bytes, too. */
  isKeptAsBytes(type: number): boolean
  /** Whether there is anything that it does not keep. */
  readonly isSelective: boolean
  /** The templates and interfaces whose tables exist. */
  readonly partitions: Set<number>
}

/** The contents of a package that the store needs. */
type Outline = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly isRead: boolean
  readonly types: readonly TypeOutline[]
}

type TypeOutline = {
  readonly kind: 'template' | 'interface'
  readonly module: string
  readonly entity: string
  readonly choices: readonly { readonly name: string; readonly isConsuming: boolean }[]
  readonly implements: readonly { readonly packageId: string; readonly module: string; readonly entity: string }[]
}

/** Which templates and interfaces a store keeps, and which of them as bytes, too. */
export type Selection = { readonly contracts: NameFilter; readonly metadata: NameFilter }

export async function loadCatalog(client: pg.ClientBase, { contracts, metadata }: Selection): Promise<Catalog> {
  const packages = new Map<string, PackageRow>()
  const types = new Map<string, number>()
  const choices = new Map<string, number>()
  const implemented = new Map<number, number[]>()
  const interfaces: string[] = []
  for (const { id, pk, name } of (await client.query('SELECT id, pk, name FROM __packages')).rows) {
    packages.set(id, { pk: Number(pk), name })
  }
  const kept = new Set<number>()
  const asBytes = new Set<number>()
  const found = await client.query(
    'SELECT pk, template_fqn, payload_type, package_name, module_name, entity_name FROM __contract_tpe ORDER BY pk',
  )
  for (const { pk, template_fqn, payload_type, package_name, module_name, entity_name } of found.rows) {
    types.set(template_fqn, Number(pk))
    const names = filterNamesOf(package_name, module_name, entity_name)
    if (contracts.selects(names)) kept.add(Number(pk))
    if (metadata.selects(names)) asBytes.add(Number(pk))
    if (payload_type === 'interface') interfaces.push(`#${template_fqn}`)
  }
  for (const { pk, choice_fqn } of (await client.query('SELECT pk, choice_fqn FROM __exercise_tpe')).rows) {
    choices.set(choice_fqn, Number(pk))
  }
  const instances = await client.query('SELECT template_pk, interface_pk FROM __contract_implements')
  for (const { template_pk, interface_pk } of instances.rows) {
    const known = implemented.get(Number(template_pk)) ?? []
    implemented.set(Number(template_pk), [...known, Number(interface_pk)])
  }
  const partitions = await client.query(
    "SELECT substring(relname FROM '\\d+$')::bigint AS pk FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = '__contracts'::regclass",
  )
  return {
    packageOf: (packageId) => packages.get(packageId),
    typeOf: (fqn) => types.get(fqn),
    choiceOf: (fqn) => choices.get(fqn),
    interfacesOf: (template) => implemented.get(template) ?? [],
    isKept: (type) => kept.has(type),
    isKeptAsBytes: (type) => asBytes.has(type),
    isSelective: kept.size < types.size,
    interfaces,
    partitions: new Set(partitions.rows.map(({ pk }) => Number(pk))),
  }
}

/** Reads the packages that the store does not know, one at a time, and writes their names. */
export async function learnPackages(client: pg.ClientBase, ledger: LedgerClient, log: Log): Promise<void> {
  const { packageIds } = await ledger.get<{ packageIds: readonly string[] }>('/v2/packages')
  const known = new Set((await client.query('SELECT id FROM __packages')).rows.map(({ id }) => id))
  const outlines: Outline[] = []
  for (const id of packageIds.filter((one) => !known.has(one))) outlines.push(await readOutline(id, ledger, log))
  if (outlines.length === 0) return
  await client.query('BEGIN')
  try {
    await writePackages(client, outlines)
    await writeTypes(client, outlines)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
  log.info({ packages: outlines.length }, 'read packages')
}

async function readOutline(id: string, ledger: LedgerClient, log: Log): Promise<Outline> {
  try {
    return outlineOf(decodePayload(await ledger.bytes(`/v2/packages/${id}`), id).package)
  } catch (error) {
    const { message, name } = error as Error
    if (!(error instanceof LedgerRefusal) && name !== 'ArchiveError') throw error
    log.warn({ package: id, reason: message }, 'a package cannot be read; its names are those of its events')
    return { id, name: '', version: '', isRead: false, types: [] }
  }
}

function outlineOf({ id, name, version, modules }: Package): Outline {
  const types: TypeOutline[] = []
  for (const module of modules.values()) {
    for (const [kind, entities] of [
      ['template', module.templates],
      ['interface', module.interfaces],
    ] as const) {
      for (const entity of entities.values()) {
        types.push({
          ...{ kind, module: module.name, entity: entity.name },
          choices: [...entity.choices.values()].map((choice) => ({
            name: choice.name,
            isConsuming: choice.isConsuming,
          })),
          implements:
            'interfaceInstances' in entity
              ? entity.interfaceInstances.map(({ interface: one }) => ({ ...one, entity: one.name }))
              : [],
        })
      }
    }
  }
  return { id, name, version, isRead: true, types }
}

async function writePackages(client: pg.ClientBase, outlines: readonly Outline[]): Promise<void> {
  await client.query(
    `INSERT INTO __packages (name, version, id, is_read)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) ON CONFLICT DO NOTHING`,
    [
      outlines.map(({ name }) => name),
      outlines.map(({ version }) => version),
      outlines.map(({ id }) => id),
      outlines.map(({ isRead }) => isRead),
    ],
  )
}

/** Interfaces are named by package id, so all packages come first. */
async function writeTypes(client: pg.ClientBase, outlines: readonly Outline[]): Promise<void> {
  for (const { name, types } of outlines) {
    for (const { kind, module, entity, choices } of types) {
      await writeType(client, { kind, package: name, module, entity })
      for (const choice of choices) {
        await writeChoice(client, {
          package: name,
          module,
          entity,
          choice: choice.name,
          isConsuming: choice.isConsuming,
        })
      }
    }
  }
  for (const { name, types } of outlines) {
    for (const { module, entity, implements: instances } of types) {
      for (const one of instances) {
        await client.query(
          `INSERT INTO __contract_implements
           SELECT t.pk, i.pk FROM __contract_tpe t, __contract_tpe i JOIN __packages p ON p.name = i.package_name
           WHERE t.template_fqn = $1 AND p.id = $2 AND i.module_name = $3 AND i.entity_name = $4 ON CONFLICT DO NOTHING`,
          [`${name}:${module}:${entity}`, one.packageId, one.module, one.entity],
        )
      }
    }
  }
}

type NamedType = {
  readonly kind: 'template' | 'interface'
  readonly package: string
  readonly module: string
  readonly entity: string
}

export async function writeType(client: pg.ClientBase, { kind, ...name }: NamedType): Promise<void> {
  const [fqn, ...shorter] = namesOf(name.package, name.module, name.entity)
  await client.query(
    `INSERT INTO __contract_tpe (payload_type, package_name, module_name, entity_name, template_fqn, aliases)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [kind, name.package, name.module, name.entity, fqn, [fqn, ...shorter]],
  )
}

type NamedChoice = Omit<NamedType, 'kind'> & { readonly choice: string; readonly isConsuming: boolean }

export async function writeChoice(client: pg.ClientBase, named: NamedChoice): Promise<void> {
  const aliases = namesOf(named.package, named.module, named.entity, named.choice)
  await client.query(
    `INSERT INTO __exercise_tpe (package_name, module_name, entity_name, choice, consuming, template_fqn, choice_fqn, aliases)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    [
      ...[named.package, named.module, named.entity, named.choice, named.isConsuming],
      ...[aliases[0]!.slice(0, -named.choice.length - 1), aliases[0], aliases],
    ],
  )
}

/** All forms of a name, the longest first: `p:M:T`, `M:T`, `T`. */
function namesOf(...parts: readonly string[]): string[] {
  return parts.map((_, index) => parts.slice(index).join(':'))
}
