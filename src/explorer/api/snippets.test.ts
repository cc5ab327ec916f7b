import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf, typescriptOf } from './snippets.ts'

const body = { text: `it's "quoted" $HOME \`x\` \\ <script>` }
const request = { method: 'POST', path: '/v2/updates', body } as const

test('a curl line passes the body through a shell as it is', () => {
  const line = curlOf(request, 'http://127.0.0.1:7575').replace('curl', 'printf "%s\\n"')
  const words = execFileSync('sh', ['-c', line], { env: { ...process.env, TOKEN: 'abc' } })
    .toString()
    .split('\n')
  assert.deepEqual(words, [
    '-s',
    '-H',
    'Authorization: Bearer abc',
    'http://127.0.0.1:7575/v2/updates',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(body),
    '',
  ])
})

test('a request without a body names its method', () => {
  assert.match(
    curlOf({ method: 'DELETE', path: '/x' }, 'http://a'),
    /^curl -s -X DELETE -H "Auth[^"]*" 'http:\/\/a\/x'$/,
  )
})

test('the TypeScript sends the same', async () => {
  const sent: unknown[] = []
  const fetched = async (url: string, init: { method: string; headers: object; body: string }) => {
    sent.push(url, init.method, init.headers, JSON.parse(init.body))
    return { ok: true, json: async () => 7 }
  }
  const run = new Function(
    'fetch',
    'token',
    `return (async () => { ${typescriptOf(request, 'http://a')} return answer })()`,
  )
  assert.equal(await run(fetched, 'abc'), 7)
  const headers = { Authorization: 'Bearer abc', 'Content-Type': 'application/json' }
  assert.deepEqual(sent, ['http://a/v2/updates', 'POST', headers, body])
})
