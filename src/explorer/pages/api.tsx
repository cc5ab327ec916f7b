// The API: every operation of this node, found by its path, its summary or one of its fields.
import { useMemo } from 'preact/hooks'
import { type Api, byGroup, createSearch, type Hit } from '../api/api-document.ts'
import { readNames } from '../api/name-index.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { Link } from '../parts/link.tsx'
import { MethodBadge } from '../parts/method-badge.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { packageOfQuery, readApi } from '../state/api-description.ts'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { pathTo, query, setQuery } from '../state/location.ts'

export function ApiPage() {
  const of = packageOfQuery()
  const { value, error } = useLoaded(() => readApi(of), [of]).value
  const wanted = query.value.get('search') ?? ''
  return (
    <>
      <PageHead
        title="API"
        note={
          <>
            What this node answers, to try with your token. For programs: <a href="/docs/openapi">OpenAPI</a>,{' '}
            <a href="/docs/asyncapi">AsyncAPI</a>
          </>
        }
      />
      <div class="filters">
        <TextField
          label="Path, summary or field contains"
          type="search"
          value={wanted}
          onInput={(text) => setQuery({ search: text })}
        />
        <PackageField value={of} />
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? error === undefined && <Loading what="the description" /> : <Found api={value} />}
    </>
  )
}

/** Typed bodies are those of one package. */
export function PackageField({ value }: { readonly value: string }) {
  const { value: packages = [] } = useLoaded(readNames, [ledgerEpoch.value]).value
  const own = packages.filter(({ isLibrary }) => !isLibrary)
  const names = new Set([...own.map(({ name }) => name), ...(value === '' ? [] : [value])])
  return (
    <SelectField
      label="Types of package"
      value={value}
      options={[['', 'none: any Daml value'], ...[...names].sort().map((name) => [name, name] as const)]}
      onChange={(name) => setQuery({ package: name })}
    />
  )
}

function Found({ api }: { readonly api: Api }) {
  const search = useMemo(() => createSearch(api), [api])
  const hits = search(query.value.get('search') ?? '')
  if (hits.length === 0) return <Empty icon="search" title="No operation has this" />
  return (
    <div class="stack">
      {byGroup(hits).map(([group, own]) => (
        <section key={group} class="panel">
          <h2>{group}</h2>
          <ul class="operations">
            {own.map((hit) => (
              <OperationRow key={hit.operation.id} hit={hit} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function OperationRow({ hit: { operation, field } }: { readonly hit: Hit }) {
  const { id, method, path, summary, isDeprecated } = operation
  const of = packageOfQuery()
  const to = pathTo('api', id) + (of === '' ? '' : `?package=${encodeURIComponent(of)}`)
  return (
    <li>
      <MethodBadge method={method} />
      <Link to={to} class="mono">
        {path}
      </Link>
      {isDeprecated && <Badge kind="archive">deprecated</Badge>}
      <span class="summary faint">{summary}</span>
      {field !== undefined && <Badge>field {field}</Badge>}
    </li>
  )
}
