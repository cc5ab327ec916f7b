// Whether a contract passes the conditions of a query, and by what it is sorted. Conditions look at the fields of the
// create argument, or at those of the view where the reader asks for one.
import { invalidField } from '../../base/errors.ts'
import { createdPieces } from '../../events/format/event-pieces.ts'
import type { SeenContract } from '../reading/json/contract-elements.ts'
import { fieldContaining, hasText, isNumberKey, sortKeyOf, valueAt } from './field-values.ts'

export type FieldTest = 'equals' | 'contains' | 'less' | 'greater'

export type FieldFilter = { readonly field: string; readonly test: FieldTest; readonly value: string }

export type ContractTests = {
  /** Undefined if it has no such field, or an empty one. */
  keyOf(contract: SeenContract): string | undefined
  passes(contract: SeenContract): boolean
}

export type ContractConditions = {
  readonly sortField: string | undefined
  readonly filters: readonly FieldFilter[]
  /** Empty for any. */
  readonly text: string
}

const depthMax = 20

export function contractTests({ sortField, filters, text }: ContractConditions): ContractTests {
  const sortPath = sortField === undefined ? undefined : pathOf(sortField, 'sortBy.field')
  const tests = filters.map((filter) => fieldTest(filter, pathOf(filter.field, 'filters.field')))
  const wanted = text.toLowerCase()
  const isQuick = wanted === '' ? undefined : quickTest(wanted)
  return {
    keyOf(contract) {
      const value = sortPath && valueAt(fieldsOf(contract), sortPath)
      return value === undefined ? undefined : sortKeyOf(value)
    },
    passes(contract) {
      if (isQuick !== undefined && !(isQuick(contract) && containsText(contract, wanted))) return false
      if (tests.length === 0) return true
      const fields = fieldsOf(contract)
      return tests.every((test) => test(fields))
    },
  }
}

function pathOf(field: string, name: string): readonly string[] {
  const path = field.split('.')
  const isPath = path.length <= depthMax && path.every((part) => part !== '')
  if (!isPath) throw invalidField(name, 'it is no path of fields such as amount.currency')
  return path
}

function fieldTest({ test, value: wanted }: FieldFilter, path: readonly string[]): (fields: unknown) => boolean {
  const wantedKey = sortKeyOf(wanted)
  const lowerCase = wanted.toLowerCase()
  return (fields) => {
    const value = valueAt(fields, path)
    if (value === undefined) return false
    if (test === 'contains') return hasText(value, lowerCase)
    const key = sortKeyOf(value)
    if (test === 'equals') return isNumberKey(key) ? key === wantedKey : value === wanted
    if (isNumberKey(key) !== isNumberKey(wantedKey)) return false
    return test === 'less' ? key < wantedKey : key > wantedKey
  }
}

/** Whether the text is anywhere in the JSON: most contracts need not be parsed. */
function quickTest(wanted: string): (contract: SeenContract) => boolean {
  const escaped = JSON.stringify(wanted).slice(1, -1)
  return ({ row, extras, witnesses }) => {
    const [head, tail] = createdPieces(row)
    return [head, tail, extras, ...witnesses].some((text) => text.toLowerCase().includes(escaped))
  }
}

/** Whether a value of it or a party contains the text, or its id begins with it. */
function containsText(contract: SeenContract, wanted: string): boolean {
  if (contract.row.contractId.startsWith(wanted)) return true
  const { signatories, observers } = JSON.parse(`{${createdPieces(contract.row)[1]}}`)
  return (
    placeContaining(contract, wanted) !== undefined || fieldContaining([signatories, observers], wanted) !== undefined
  )
}

/** The field that contains the text, in small letters. */
export function placeContaining(
  contract: SeenContract,
  wanted: string,
): { readonly path: readonly string[]; readonly value: string } | undefined {
  return fieldContaining(argumentOf(contract), wanted) ?? fieldContaining(viewOf(contract), wanted)
}

function fieldsOf(contract: SeenContract): unknown {
  return viewOf(contract) ?? argumentOf(contract)
}

function argumentOf({ row }: SeenContract): unknown {
  return JSON.parse(`{${createdPieces(row)[0]}}`).createArgument
}

/** Of the first interface that the reader asks for; undefined if it asks for none, or there is no view. */
function viewOf({ extras, rule }: SeenContract): unknown {
  if (rule.interfaces.length === 0) return undefined
  return JSON.parse(`{${extras}}`).interfaceViews[0]?.viewValue ?? undefined
}
