// The API's documentation for people: one page built from the OpenAPI document, without scripts or external resources.
import { operationOf, type Route } from '../route.ts'

type Operation = {
  summary: string
  description: string
  deprecated?: boolean
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

type Schema = {
  $ref?: string
  type?: string
  format?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema
}

type Document = {
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const style = `
  :root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #2a6f4e }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  h1 { margin-bottom: 0 } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
  code, pre { font: 0.9em ui-monospace, monospace } pre { background: var(--soft); padding: .8rem; overflow: auto }
  details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem }
  summary { cursor: pointer } b.method { color: var(--accent); display: inline-block; min-width: 4.2rem }
  b.deprecated { border: 1px solid var(--line); border-radius: .4rem; padding: 0 .4rem; font-size: .8em }
  td { vertical-align: top; padding: .1rem 1rem .1rem 0 } .soft { opacity: .75 }`

export function docsPage(document: unknown, routes: readonly Route[]): string {
  const { info, paths, components } = document as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  // The document has no tags, like Canton's: generators would put the operations of each tag into a class of its own.
  const tagsOfRoutes = new Map(routes.map((route) => [operationOf(route), route.tag]))
  const tagOf = ({ path, method }: { path: string; method: string }) =>
    tagsOfRoutes.get(`${method.toUpperCase()} ${path}`) ?? 'Node'
  const tags = [...new Set(operations.map(tagOf))]
  const sections = tags.map((tag) => {
    const own = operations.filter((entry) => tagOf(entry) === tag)
    return `<h2>${html(tag)}</h2>${own.map((entry) => operationHtml(entry, components.schemas)).join('')}`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${html(info.title)}</title>
<style>${style}</style></head><body>
<h1>${html(info.title)}</h1><p>${html(info.description)} <a href="/docs/openapi">OpenAPI document</a>,
<a href="/docs/asyncapi">AsyncAPI document</a> of the WebSockets</p>
${sections.join('\n')}</body></html>`
}

function operationHtml(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  schemas: Record<string, Schema>,
): string {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: where, description }) =>
      `<tr><td><code>${html(name)}</code></td><td class="soft">${where}</td><td>${html(description ?? '')}</td></tr>`,
  )
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const answer = Object.values(operation.responses['200']?.content ?? {})[0]?.schema
  return `<details><summary><b class="method">${method.toUpperCase()}</b> <code>${html(path)}</code>
 ${operation.deprecated === true ? '<b class="deprecated">deprecated</b> ' : ''}<span class="soft">${html(operation.summary)}</span></summary>
<p>${html(operation.description)}</p>
${parameters.length === 0 ? '' : `<table>${parameters.join('')}</table>`}
${body === undefined ? '' : `<p>Body</p><pre>${html(outline(body, schemas, 0, []))}</pre>`}
${answer === undefined ? '' : `<p>Answer</p><pre>${html(outline(answer, schemas, 0, []))}</pre>`}</details>`
}

/** A schema as an indented outline of the JSON: one line per field, with its description. */
function outline(schema: Schema, schemas: Record<string, Schema>, depth: number, within: string[]): string {
  const name = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.split('/').at(-1)
  if (name !== undefined) {
    return within.includes(name) ? name : outline(schemas[name]!, schemas, depth, [...within, name])
  }
  const inner = (part: Schema) => outline(part, schemas, depth + 1, within)
  if (schema.oneOf) return schema.oneOf.map(inner).join(' | ')
  if (schema.type === 'array') return `[${outline(schema.items!, schemas, depth, within)}, …]`
  if (schema.additionalProperties) return `{"…": ${inner(schema.additionalProperties)}}`
  if (schema.type !== 'object') return schema.format ?? schema.type ?? 'any'
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return '{}'
  const indent = '  '.repeat(depth + 1)
  const lines = fields.map(([key, field]) => {
    const words = field.description === undefined ? '' : `   // ${field.description}`
    return `${indent}${JSON.stringify(key)}: ${inner(field)}${words}`
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
