// One operation of the API: its fields, and a form to try it.
import type { Api, Body, Operation, Parameter } from '../api/api-document.ts'
import { typeText } from '../api/api-document.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { MethodBadge } from '../parts/method-badge.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { packageOfQuery, readApi } from '../state/api-description.ts'
import { useLoaded } from '../state/loading.ts'
import type { PageProps } from '../state/page.ts'
import { PackageField } from './api.tsx'
import { FieldMarks, SchemaFields } from './api-fields.tsx'
import { TryIt } from './api-try.tsx'

export function ApiOperationPage({ params }: PageProps) {
  const of = packageOfQuery()
  const { value, error } = useLoaded(() => readApi(of), [of]).value
  const operation = value?.operations.find(({ id }) => id === params.id)
  const trail = [['API', of === '' ? '/api' : `/api?package=${encodeURIComponent(of)}`]] as const
  if (value === undefined || operation === undefined) {
    return (
      <>
        <PageHead title={params.id!} trail={trail} />
        {error !== undefined && <Problem error={error} />}
        {error === undefined && value === undefined && <Loading what="the description" />}
        {value !== undefined && <Empty icon="search" title="This node has no such operation" />}
      </>
    )
  }
  const { method, path, summary, isDeprecated } = operation
  return (
    <>
      <PageHead
        title={`${method} ${path}`}
        trail={trail}
        heading={
          <span class="operation-title">
            <MethodBadge method={method} /> <span class="mono">{path}</span>
            {isDeprecated && <Badge kind="archive">deprecated</Badge>}
          </span>
        }
        note={`${summary}. ${operation.description}`}
      />
      <div class="columns wide-columns">
        <Description api={value} operation={operation} />
        <div class="stack">
          {operation.body !== undefined && !operation.body.isBytes && (
            <div class="panel panel-body">
              <PackageField value={of} />
            </div>
          )}
          <TryIt key={`${operation.id} ${of}`} api={value} operation={operation} />
        </div>
      </div>
    </>
  )
}

function Description({ api, operation }: { readonly api: Api; readonly operation: Operation }) {
  const { parameters, body, answer } = operation
  return (
    <div class="stack">
      {parameters.length > 0 && <Parameters api={api} parameters={parameters} />}
      {body !== undefined && <Content title="Body" content={body} api={api} />}
      {answer !== undefined && <Content title="Answer" content={answer} api={api} />}
    </div>
  )
}

function Parameters({ api, parameters }: { readonly api: Api; readonly parameters: readonly Parameter[] }) {
  return (
    <section class="panel">
      <h2>Parameters</h2>
      <ul class="panel-body schema-fields">
        {parameters.map(({ name, in: where, description, required = false, schema }) => (
          <li key={name}>
            <p class="schema-field">
              <code>{name}</code>
              <span class="faint">{`${typeText(schema, api.schemas)}, in the ${where}`}</span>
              <FieldMarks isRequired={required} isDeprecated={schema.deprecated === true} />
            </p>
            <p class="faint">{description}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Content({ title, content, api }: { readonly title: string; readonly content: Body; readonly api: Api }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      <div class="panel-body">
        {content.isBytes ? (
          <p class="faint">{content.schema.format === 'binary' ? 'Bytes' : 'Plain text'}</p>
        ) : (
          <SchemaFields schema={content.schema} schemas={api.schemas} />
        )}
      </div>
    </section>
  )
}
