// A value of the Ledger API as Canton prints it in errors: how Scala writes its classes.
import type { Identifier } from '../../syntax/ast.ts'
import { int64 } from '../../values/values.ts'
import { numericFromDecimal, numericToText } from '../numeric-text.ts'
import { dateToText, timestampToText } from '../time-text.ts'
import type { LedgerValue, MaybeValue } from './type.ts'

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
        return 'Unit'
      case 'bool':
        return `Bool(${content})`
      case 'int64':
        return `Int64(${content})`
      case 'date':
        return `Date(${dateToText(content)})`
      case 'timestamp':
        return `Timestamp(${timestampToText(int64(content))})`
      case 'numeric':
        return `Numeric(${numericToText(numericFromDecimal(content)!).replace(/\.$/, '')})`
      case 'party':
        return `Party(${content})`
      case 'text':
        return `Text(${content})`
      case 'contract-id':
        return `ContractId(ContractId(${content}))`
      case 'optional':
        return `Optional(${content.value === undefined ? 'None' : `Some(${textOf(content.value)})`})`
      case 'list':
        return `List(FrontStack(${listOf(content.elements.map(textOf))}))`
      case 'text-map':
        return `TextMap(SortedLookupList(${listOf(sorted(content.entries).map(({ key, value: item }) => `(${key},${textOf(item)})`))}))`
      case 'gen-map':
        return `GenMap(${listOf(content.entries.map(({ key, value: item }) => `(${textOf(key)},${textOf(item)})`))})`
      case 'record': {
        const fields = content.fields.map(({ label, value: item }) => {
          return `(${label === '' ? 'None' : `Some(${label})`},${textOf(item)})`
        })
        return `Record(${idText(content.recordId)},ImmArray(${listOf(fields)}))`
      }
      case 'variant':
        return `Variant(${idText(content.variantId)},${content.constructor},${textOf(content.value)})`
      case 'enum':
        return `Enum(${idText(content.enumId)},${content.constructor})`
    }
  }

  return textOf(value)
}

function sorted<Entry extends { readonly key: string }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
}

function idText(id: Identifier | undefined): string {
  return id === undefined ? 'None' : `Some(${id.packageId}:${id.module}:${id.name})`
}
