// A request as something to paste: a curl line for a shell, or TypeScript for one's own code. The token is left out.
export type RequestToShow = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
}

export function curlOf({ method, path, body }: RequestToShow, origin: string): string {
  const lines = [
    `curl -s ${method === 'POST' && body !== undefined ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN" ${quoted(origin + path)}`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

/** For a POSIX shell: nothing is special between single quotes but themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function typescriptOf({ method, path, body }: RequestToShow, origin: string): string {
  const content = body === undefined ? '' : `\n  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`
  const type = body === undefined ? '' : `, 'Content-Type': 'application/json'`
  return `const response = await fetch(${JSON.stringify(origin + path)}, {
  method: '${method}',
  headers: { Authorization: \`Bearer \${token}\`${type} },${content}
})
if (!response.ok) throw new Error(await response.text())
const answer = await response.json()
`
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ')
