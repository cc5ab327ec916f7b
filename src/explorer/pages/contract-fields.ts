// The fields of listed contracts, by the types of their packages or else by what their JSON has: the columns of the list, and
// what it can be filtered by.
import type { DataTypeDescription } from '../../codegen/type-description.ts'
import { type ContractRow, fieldOf, leafText, pathsIn } from '../api/contract-rows.ts'
import type { Kind } from '../parts/kind-picker.tsx'
import { type PackageTypes, partsOf, type TypeDescription, templateIn, typesOfPackage } from '../state/packages.ts'

export type KnownField = { readonly name: string; readonly type: TypeDescription | undefined }

export function fieldsOfRow(
  row: ContractRow,
  isView: boolean,
): { readonly fields: readonly KnownField[]; readonly types: PackageTypes | undefined } {
  const ownerId = isView ? row.event.interfaceViews?.[0]?.interfaceId : row.event.templateId
  const types = ownerId === undefined ? undefined : typesOfPackage(partsOf(ownerId).packageId)
  const known = ownerId === undefined ? undefined : recordFields(types, typeOf(types, ownerId, isView))
  const value = (isView ? row.event.interfaceViews?.[0]?.viewValue : row.event.createArgument) ?? {}
  return { fields: known ?? Object.keys(value as object).map((name) => ({ name, type: undefined })), types }
}

function typeOf(types: PackageTypes | undefined, id: string, isView: boolean): TypeDescription | undefined {
  return isView ? types?.interfaces.find((one) => one.id === id)?.view : templateIn(types, id)?.payload
}

function recordFields(types: PackageTypes | undefined, type: TypeDescription | undefined) {
  if (types === undefined || type?.kind !== 'Data' || !Object.hasOwn(types.types, type.id)) return undefined
  const data: DataTypeDescription = types.types[type.id]!
  return data.kind === 'record' ? data.fields : undefined
}

/** `name` is a path with dots: `iou.amount`. */
export type FilterField = { readonly name: string; readonly isParty: boolean }

/** Of the template or interface that is listed, or of all contracts that are shown. */
export function fieldsToFilter(kind: Kind | undefined, rows: readonly ContractRow[]): readonly FilterField[] {
  return (kind && fieldsOfKind(kind)) ?? fieldsInRows(rows, kind?.isInterface === true)
}

function fieldsOfKind({ name: reference, isInterface }: Kind): readonly FilterField[] | undefined {
  const { packageId: packageName, module, name } = partsOf(reference.replace(/^#/, ''))
  const types = typesOfPackage(packageName)
  const type = types && typeOf(types, `${types.packageId}:${module}:${name}`, isInterface)
  return type && leavesOf(type, types, depthMax)
}

const depthMax = 3

/** The fields of a record, and those of the records in it. Lists and maps cannot be compared. */
function leavesOf(type: TypeDescription, types: PackageTypes, depth: number): FilterField[] {
  return (recordFields(types, type) ?? []).flatMap(({ name, type: of }) => {
    const inner = of.kind === 'Optional' ? of.of : of
    if (inner.kind === 'List' || inner.kind === 'TextMap' || inner.kind === 'GenMap') return []
    const isRecord = recordFields(types, inner) !== undefined
    if (!isRecord) return [{ name, isParty: inner.kind === 'Party' }]
    if (depth === 0) return []
    return leavesOf(inner, types, depth - 1).map((leaf) => ({ ...leaf, name: `${name}.${leaf.name}` }))
  })
}

function fieldsInRows(rows: readonly ContractRow[], isView: boolean): readonly FilterField[] {
  const fields = new Map<string, FilterField>()
  for (const row of rows) {
    const value = isView ? row.event.interfaceViews?.[0]?.viewValue : row.event.createArgument
    for (const name of pathsIn(value ?? null)) {
      const isParty = /::1220[0-9a-f]{64}$/.test(leafText(fieldOf(row, name, isView)) ?? '')
      if (!fields.has(name)) fields.set(name, { name, isParty })
    }
  }
  return [...fields.values()]
}
