// Picks a template or an interface into the address: `template=#package:Module:Template` or `interface=…`.
import { useSignal } from '@preact/signals'
import type { Filters } from '../api/wire.ts'
import { query, setQuery } from '../state/location.ts'
import { filtersOf, interfaceFilter, templateFilter } from '../state/party-view.ts'
import { kindOptions } from './name-options.tsx'
import { Picker } from './picker.tsx'

export type Kind = { readonly name: string; readonly isInterface: boolean }

/** What the address names; undefined for all. */
export function kindFrom(given: URLSearchParams): Kind | undefined {
  const [template, ofInterface] = [given.get('template') || undefined, given.get('interface') || undefined]
  if (ofInterface !== undefined) return { name: ofInterface, isInterface: true }
  return template === undefined ? undefined : { name: template, isInterface: false }
}

export function filtersFor(kind: Kind | undefined): Filters | undefined {
  if (kind === undefined) return undefined
  return filtersOf(kind.isInterface ? interfaceFilter(kind.name) : templateFilter(kind.name))
}

/** `value` is an option of `kindOptions`. What was said about the fields of another, and the page, are dropped. */
export function chooseKind(value: string): void {
  const isInterface = value.startsWith('interface ')
  const name = value.replace('interface ', '')
  const fresh = { upTo: undefined, page: undefined, where: undefined, sort: undefined }
  setQuery({ template: isInterface ? undefined : name, interface: isInterface ? name : undefined, ...fresh })
}

export function KindPicker() {
  const typed = useSignal<string | undefined>(undefined)
  return (
    <Picker
      label="Template or interface"
      placeholder="All"
      value={typed.value ?? kindFrom(query.value)?.name ?? ''}
      find={kindOptions}
      isOnlyFound
      onInput={(text) => {
        typed.value = text
        if (text === '') chooseKind('')
      }}
      onPick={(value) => {
        typed.value = undefined
        chooseKind(value)
      }}
    />
  )
}
