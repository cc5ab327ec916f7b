// Daml values by their types. Without a type, as long as its package is read or if it cannot be, a value is shown by what
// its JSON looks like. Every text is a text node: whatever a contract contains is never markup.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Bound, dataOf, isNested, unbound } from '../api/drafts.ts'
import type { Json } from '../api/wire.ts'
import type { PackageTypes, TypeDescription } from '../state/packages.ts'
import { Button } from './button.tsx'
import { ContractLink, Party, Time } from './names.tsx'
import { counted } from './quantities.ts'

export type Types = PackageTypes['types'] | undefined

type Props = {
  readonly value: Json | undefined
  readonly type?: TypeDescription | undefined
  readonly types?: Types
  /** In one line, as in a table: what is large is only named. */
  readonly isInline?: boolean
  readonly bound?: Bound
  /** Whether the value is inside a nested Optional; its own JSON is an array then, too. */
  readonly isInside?: boolean
}

const partyId = /^.+::1220[0-9a-f]{64}$/
const contractId = /^00[0-9a-f]{64,}$/
const inlineItems = 3

export function Value(props: Props): ComponentChildren {
  const { value, type, bound = unbound, isInside = false } = props
  if (value === undefined || value === null) return <span class="value none">None</span>
  if (type === undefined || type.kind === 'Unknown') return guessed({ ...props, value })
  switch (type.kind) {
    case 'Variable': {
      const { type: _type, ...rest } = props
      const known = bound.get(type.name)
      if (known === undefined || known.kind === 'Variable') return guessed({ ...rest, value })
      return <Value {...rest} type={known} />
    }
    case 'Unit':
      return <span class="value none">()</span>
    case 'Bool':
      return <span class="value literal">{String(value)}</span>
    case 'Int64':
      return <span class="value number">{String(value)}</span>
    case 'Numeric':
      return <Numeric text={String(value)} />
    case 'Party':
      return <Party id={String(value)} />
    case 'ContractId':
      return <ContractLink id={String(value)} />
    case 'Timestamp':
      return <Time iso={String(value)} />
    case 'Date':
    case 'Text':
      return <Text text={String(value)} />
    case 'Optional':
      return Array.isArray(value) && (isInside || isNested(type)) ? (
        <Value {...props} value={(value as Json[])[0]} type={type.of} isInside={isNested(type)} />
      ) : (
        <Value {...props} type={type.of} isInside={false} />
      )
    case 'List':
      return <Items {...props} items={(value as Json[]).map((item) => ({ value: item, type: type.of }))} />
    case 'TextMap':
      return (
        <Fields {...props} fields={Object.entries(value).map(([name, of]) => ({ name, value: of, type: type.of }))} />
      )
    case 'GenMap':
      return <Pairs {...props} pairs={value as unknown as [Json, Json][]} keyType={type.key} valueType={type.of} />
    case 'Data':
      return ofData({ ...props, value, type })
  }
}

function ofData({
  value,
  type,
  types,
  bound = unbound,
  ...rest
}: Props & { type: TypeDescription & { kind: 'Data' } }) {
  const found = types === undefined ? undefined : dataOf(type, types, bound)
  if (found === undefined || value === null || value === undefined)
    return guessed({ ...rest, value: value ?? null, types })
  const { data, bound: inner } = found
  const common = { ...rest, types, bound: inner }
  if (data.kind === 'enum') return <span class="value constructor">{String(value)}</span>
  const given = new Map(Object.entries(value))
  if (data.kind === 'record') {
    const fields = data.fields.map(({ name, type: of }) => ({ name, value: given.get(name) ?? null, type: of }))
    return <Fields {...common} value={value} fields={fields} />
  }
  const tag = String(given.get('tag'))
  const made = data.constructors.find(({ name }) => name === tag)
  const isBare = made?.type.kind === 'Unit'
  return (
    <span class="value variant">
      <span class="constructor">{tag}</span>
      {!isBare && <Value {...common} value={given.get('value') ?? null} type={made?.type} />}
    </span>
  )
}

type Field = { readonly name: string; readonly value: Json | undefined; readonly type?: TypeDescription | undefined }

export function Fields({ fields, ...rest }: Props & { readonly fields: readonly Field[] }) {
  if (fields.length === 0) return <span class="value none">{'{}'}</span>
  if (rest.isInline) {
    const shown = fields.slice(0, inlineItems)
    return (
      <span class="value inline-record">
        {shown.map(({ name, value, type }) => (
          <span key={name} class="inline-field">
            <span class="faint">{name}</span> <Value {...rest} value={value} type={type} />
          </span>
        ))}
        {fields.length > shown.length && <span class="faint">…</span>}
      </span>
    )
  }
  return (
    <dl class="value fields">
      {fields.map(({ name, value, type }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value {...rest} value={value} type={type} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Items({ items, ...rest }: Props & { readonly items: readonly Omit<Field, 'name'>[] }) {
  if (items.length === 0) return <span class="value none">[]</span>
  if (rest.isInline) {
    const more = items.length - inlineItems
    return (
      <ul class="value items inline">
        {items.slice(0, inlineItems).map(({ value, type }, index) => (
          <li key={index}>
            <Value {...rest} value={value} type={type} />
          </li>
        ))}
        {more > 0 && <li class="faint">and {more.toLocaleString('en-GB')} more</li>}
      </ul>
    )
  }
  return <Listed items={items} show={({ value, type }) => <Value {...rest} value={value} type={type} />} />
}

const listedFirst = 20
const listedNext = 200

type ListedProps<T> = { readonly items: readonly T[]; readonly show: (item: T) => ComponentChildren }

/** A list may have thousands of items: the first, and more when somebody asks. */
function Listed<T>({ items, show }: ListedProps<T>) {
  const shown = useSignal(listedFirst)
  const left = items.length - shown.value
  return (
    <ul class="value items">
      {items.slice(0, shown.value).map((item, index) => (
        <li key={index}>{show(item)}</li>
      ))}
      {left > 0 && (
        <li>
          <Button
            kind="quiet"
            onClick={() => {
              shown.value += listedNext
            }}
          >
            {left <= listedNext ? `Show ${left} more` : `Show ${listedNext} of ${left.toLocaleString('en-GB')} more`}
          </Button>
        </li>
      )}
    </ul>
  )
}

type PairsProps = Props & {
  readonly pairs: readonly (readonly [Json, Json])[]
  readonly keyType: TypeDescription
  readonly valueType: TypeDescription
}

function Pairs({ pairs, keyType, valueType, ...rest }: PairsProps) {
  if (pairs.length === 0) return <span class="value none">{'{}'}</span>
  if (rest.isInline) return <span class="value">{counted(pairs.length, 'entry', 'entries')}</span>
  return (
    <Listed
      items={pairs}
      show={([key, value]) => (
        <>
          <Value {...rest} value={key} type={keyType} /> <span class="faint">→</span>{' '}
          <Value {...rest} value={value} type={valueType} />
        </>
      )}
    />
  )
}

/** Zeros at the end say nothing. They have no size, but are there: what is copied is the exact number. */
function Numeric({ text }: { readonly text: string }) {
  const [, digits = text, zeros = ''] = /^(-?\d+(?:\.\d*[1-9])?)(\.0+|(?<=\..*)0+)?$/.exec(text) ?? []
  return (
    <span class="value number" title={zeros === '' ? undefined : text}>
      {digits}
      {zeros !== '' && <span class="zeros">{zeros}</span>}
    </span>
  )
}

function Text({ text }: { readonly text: string }) {
  return text === '' ? <span class="value none">empty</span> : <span class="value text">{text}</span>
}

/** No component, nor is `ofData`: a list keeps what was opened in it when its type arrives. */
function guessed({ value, ...rest }: Props & { readonly value: Json }) {
  if (typeof value === 'string') {
    if (partyId.test(value)) return <Party id={value} />
    return contractId.test(value) ? <ContractLink id={value} /> : <Text text={value} />
  }
  const { type: _type, ...inner } = rest
  if (Array.isArray(value))
    return <Items {...inner} value={value} items={value.map((item: Json) => ({ value: item }))} />
  if (typeof value !== 'object' || value === null) return <span class="value literal">{String(value)}</span>
  return <Fields {...inner} value={value} fields={Object.entries(value).map(([name, of]) => ({ name, value: of }))} />
}
