import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TypeDescription } from '../../codegen/type-description.ts'
import { typeText } from './type-text.ts'

test('types as Daml writes them', () => {
  const party: TypeDescription = { kind: 'Party' }
  const table: [TypeDescription, string][] = [
    [{ kind: 'Unit' }, '()'],
    [{ kind: 'Numeric', scale: 10 }, 'Decimal'],
    [{ kind: 'Numeric', scale: 2 }, 'Numeric 2'],
    [{ kind: 'List', of: { kind: 'Optional', of: party } }, '[Optional Party]'],
    [{ kind: 'Optional', of: { kind: 'Optional', of: party } }, 'Optional (Optional Party)'],
    [{ kind: 'Optional', of: { kind: 'List', of: { kind: 'Optional', of: party } } }, 'Optional [Optional Party]'],
    [{ kind: 'GenMap', key: { kind: 'Int64' }, of: { kind: 'ContractId', of: party } }, 'Map Int (ContractId Party)'],
    [{ kind: 'Data', id: 'p:M:Either', args: [{ kind: 'Text' }, { kind: 'Variable', name: 'a' }] }, 'Either Text a'],
  ]
  for (const [type, text] of table) assert.equal(typeText(type), text)
})
