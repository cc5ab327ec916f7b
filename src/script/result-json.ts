// The result of a script as `dpm script` writes it to files: as in the JSON Ledger API, except that Ints and Decimals are
// numbers and that None is always written (ApiCodecCompressed.scala).
import type { JsonCodec } from '../lf/codec/json.ts'
import { numericToText } from '../lf/codec/numeric-text.ts'
import { shapeOf } from '../lf/codec/shapes.ts'
import type { Type } from '../lf/syntax/ast.ts'
import type { DataTypes } from '../lf/values/data-types.ts'
import {
  asLedgerInt64,
  asMap,
  asNumericOf,
  asRecordOf,
  asText,
  asVariantOf,
  contentOf,
  itemsOf,
} from '../lf/values/kinds.ts'
import { type LfValue, none, Some } from '../lf/values/values.ts'

export function createResultJson(dataTypes: DataTypes, json: JsonCodec): (type: Type, value: LfValue) => string {
  function textOf(type: Type, value: LfValue): string {
    const shape = shapeOf(type, dataTypes)
    switch (shape.kind) {
      case 'int64':
        return String(asLedgerInt64(value))
      case 'numeric':
        return numericToText(asNumericOf(shape.scale, value)).replace(/\.$/, '')
      case 'optional': {
        const content = contentOf(value)
        if (content === undefined) return 'null'
        if (content === none) return '[]'
        const text = textOf(shape.element, content)
        return content instanceof Some ? `[${text}]` : text
      }
      case 'list':
        return `[${[...itemsOf(value)].map((item) => textOf(shape.element, item)).join()}]`
      case 'text-map':
        return objectOf([...asMap(value).entries()].map(([key, item]) => [asText(key), textOf(shape.element, item)]))
      case 'gen-map': {
        const entries = [...asMap(value).entries()]
        return `[${entries.map(([key, item]) => `[${textOf(shape.key, key)},${textOf(shape.element, item)}]`).join()}]`
      }
      case 'record': {
        const values = shape.type.fieldsOf(asRecordOf(shape.type, value))
        return objectOf(shape.fields.map(({ name, type: of }, index) => [name, textOf(of, values[index])]))
      }
      case 'variant': {
        const { rank, value: content } = asVariantOf(shape.type, value)
        const tag = JSON.stringify(shape.type.tags[rank])
        return objectOf([
          ['tag', tag],
          ['value', textOf(shape.fields[rank]!.type, content)],
        ])
      }
      default:
        return json.codecFor(type).encode(value)
    }
  }
  return textOf
}

function objectOf(entries: readonly (readonly [name: string, text: string])[]): string {
  return `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`
}
