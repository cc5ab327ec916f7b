// Types in words, as Daml writes them.
import type { TypeDescription } from '../state/packages.ts'

export function typeText(type: TypeDescription): string {
  switch (type.kind) {
    case 'Unit':
      return '()'
    case 'Int64':
      return 'Int'
    case 'Timestamp':
      return 'Time'
    case 'Numeric':
      return type.scale === 10 ? 'Decimal' : `Numeric ${type.scale ?? 'n'}`
    case 'Optional':
    case 'TextMap':
    case 'ContractId':
      return `${type.kind} ${inner(type.of)}`
    case 'List':
      return `[${typeText(type.of)}]`
    case 'GenMap':
      return `Map ${inner(type.key)} ${inner(type.of)}`
    case 'Data':
      return [type.id.split(':').at(-1)!, ...type.args.map(inner)].join(' ')
    case 'Variable':
      return type.name
    case 'Unknown':
      return '?'
    default:
      return type.kind
  }
}

function inner(type: TypeDescription): string {
  const text = typeText(type)
  return /^[^[( ].* /.test(text) ? `(${text})` : text
}
