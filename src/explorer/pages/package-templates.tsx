// The templates and interfaces of a package: fields, keys, and choices with what they take, return and do.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Badge } from '../parts/badge.tsx'
import { Link } from '../parts/link.tsx'
import { typeText } from '../parts/type-text.ts'
import { createPath } from '../state/act-paths.ts'
import { hash, pathTo } from '../state/location.ts'
import { type ChoiceTypes, type PackageTypes, partsOf, type TypeDescription } from '../state/packages.ts'
import { session } from '../state/session.ts'

export function PackageTemplates({ types }: { readonly types: PackageTypes }) {
  const own = (id: string) => partsOf(id).packageId === types.packageId
  useEffect(() => document.getElementById(hash.value)?.focus(), [types, hash.value])
  return (
    <>
      {types.templates.map(({ id, payload, key, choices, implements: interfaces }) => (
        <Entity key={id} id={id} kind="template" types={types}>
          <Fields type={payload} types={types} />
          {key !== undefined && (
            <p>
              <span class="faint">Key</span> <code>{typeText(key)}</code>
            </p>
          )}
          {interfaces.length > 0 && (
            <p class="links">
              <span class="faint">Implements</span>
              {interfaces.map((of) => (
                <EntityLink key={of} id={of} types={types} />
              ))}
            </p>
          )}
          <Choices of={id} choices={choices} types={types} />
        </Entity>
      ))}
      {types.interfaces
        .filter(({ id }) => own(id))
        .map(({ id, view, choices, requires }) => (
          <Entity key={id} id={id} kind="interface" types={types}>
            <p class="faint">View</p>
            <Fields type={view} types={types} />
            {requires.length > 0 && (
              <p class="links">
                <span class="faint">Requires</span>
                {requires.map((of) => (
                  <EntityLink key={of} id={of} types={types} />
                ))}
              </p>
            )}
            <Choices of={id} choices={choices} types={types} />
          </Entity>
        ))}
    </>
  )
}

type EntityProps = {
  readonly id: string
  readonly kind: 'template' | 'interface'
  readonly types: PackageTypes
  readonly children: ComponentChildren
}

function Entity({ id, kind, types, children }: EntityProps) {
  const { module, name } = partsOf(id)
  const reference = `#${types.name}:${module}:${name}`
  return (
    <section class="panel" id={anchorOf(id)} aria-label={name} tabIndex={-1}>
      <div class="panel-head">
        <h2>
          <span class="faint">{module}:</span>
          {name}
        </h2>
        <span class="links">
          {kind === 'interface' && <Badge kind="move">interface</Badge>}
          <Link to={`/contracts?${kind}=${encodeURIComponent(reference)}`}>Contracts</Link>
          {kind === 'template' && session.value.actsAs.length > 0 && <Link to={createPath(reference)}>Create</Link>}
        </span>
      </div>
      <div class="panel-body stack">{children}</div>
    </section>
  )
}

export function anchorOf(id: string): string {
  const { module, name } = partsOf(id)
  return `${module}.${name}`
}

/** To the same page, or to the package that has it. */
export function EntityLink({ id, types }: { readonly id: string; readonly types: PackageTypes }) {
  const { packageId, name } = partsOf(id)
  if (packageId === types.packageId) return <a href={`#${anchorOf(id)}`}>{name}</a>
  return <Link to={pathTo('packages', packageId)}>{name}</Link>
}

function Fields({ type, types }: { readonly type: TypeDescription; readonly types: PackageTypes }) {
  const data = type.kind === 'Data' && Object.hasOwn(types.types, type.id) ? types.types[type.id] : undefined
  if (data?.kind !== 'record') return <code>{typeText(type)}</code>
  return (
    <dl class="fields-of">
      {data.fields.map((field) => (
        <div key={field.name}>
          <dt>{field.name}</dt>
          <dd class="mono">{typeText(field.type)}</dd>
        </div>
      ))}
    </dl>
  )
}

type ChoicesProps = {
  readonly of: string
  readonly choices: readonly ChoiceTypes[]
  readonly types: PackageTypes
}

function Choices({ of, choices, types }: ChoicesProps) {
  return (
    <ul class="choice-list">
      {choices
        .filter(({ name }) => name !== 'Archive')
        .map((choice) => (
          <li key={choice.name} id={`${anchorOf(of)}.${choice.name}`} tabIndex={-1}>
            <p>
              <b>{choice.name}</b> {choice.consuming && <Badge kind="archive">archives</Badge>}{' '}
              <span class="faint">returns</span> <span class="mono">{typeText(choice.result)}</span>
            </p>
            <Arguments type={choice.argument} types={types} />
            {choice.creates.length > 0 && (
              <p class="links">
                <span class="faint">creates</span>
                {choice.creates.map((id) => (
                  <EntityLink key={id} id={id} types={types} />
                ))}
              </p>
            )}
            {choice.exercises.length > 0 && (
              <p class="links">
                <span class="faint">exercises</span>
                {choice.exercises.map(({ id, choice: name }) => (
                  <span key={`${id} ${name}`}>
                    <EntityLink id={id} types={types} /> {name}
                  </span>
                ))}
              </p>
            )}
          </li>
        ))}
    </ul>
  )
}

/** Most choices have an argument without fields. */
function Arguments({ type, types }: { readonly type: TypeDescription; readonly types: PackageTypes }) {
  const data = type.kind === 'Data' && Object.hasOwn(types.types, type.id) ? types.types[type.id] : undefined
  if (type.kind === 'Unit' || (data?.kind === 'record' && data.fields.length === 0)) return null
  return <Fields type={type} types={types} />
}
