// A value of the Ledger API as Canton prints it in errors: how Scala writes its classes.
import type { Identifier } from '../syntax/ast.ts'
import type { LedgerValue, MaybeValue } from './ledger-value.ts'

/** More is cut off, as every long cause is. */
const charactersMax = 2000

export function ledgerValueText(value: LedgerValue): string {
  let room = charactersMax

  function textOf(part: MaybeValue): string {
    if (part === undefined || room <= 0) return ''
    const text = written(part)
    room -= text.length
    return text
  }

  function listOf(items: readonly string[]): string {
    return items.join(',')
  }

  function written({ kind, value: content }: LedgerValue): string {
    switch (kind) {
      case 'unit':
        return 'ValueUnit'
      case 'bool':
        return `ValueBool(${content})`
      case 'int64':
        return `ValueInt64(${content})`
      case 'date':
        return `ValueDate(${new Date(content * 86_400_000).toISOString().slice(0, 10)})`
      case 'timestamp':
        return `ValueTimestamp(${new Date(Number(content / 1000n)).toISOString()})`
      case 'numeric':
        return `ValueNumeric(${content})`
      case 'party':
        return `ValueParty(${content})`
      case 'text':
        return `ValueText(${content})`
      case 'contract-id':
        return `ValueContractId(ContractId(${content}))`
      case 'optional':
        return `ValueOptional(${content.value === undefined ? 'None' : `Some(${textOf(content.value)})`})`
      case 'list':
        return `ValueList(FrontStack(${listOf(content.elements.map(textOf))}))`
      case 'text-map':
        return `ValueTextMap(SortedLookupList(${listOf(content.entries.map(({ key, value: item }) => `(${key},${textOf(item)})`))}))`
      case 'gen-map':
        return `ValueGenMap(ImmArray(${listOf(content.entries.map(({ key, value: item }) => `(${textOf(key)},${textOf(item)})`))}))`
      case 'record': {
        const fields = content.fields.map(({ label, value: item }) => {
          return `(${label === '' ? 'None' : `Some(${label})`},${textOf(item)})`
        })
        return `ValueRecord(${idText(content.recordId)},ImmArray(${listOf(fields)}))`
      }
      case 'variant':
        return `ValueVariant(${idText(content.variantId)},${content.constructor},${textOf(content.value)})`
      case 'enum':
        return `ValueEnum(${idText(content.enumId)},${content.constructor})`
    }
  }

  return textOf(value)
}

function idText(id: Identifier | undefined): string {
  return id === undefined ? 'None' : `Some(${id.packageId}:${id.module}:${id.name})`
}
