// HTTP itself: methods, paths, headers, pages.
import { allRoutes } from '../../../src/api/routes/all.ts'
import type { World } from '../world.ts'

const ours = /^\/v2\/(pruning|time|synchronizers)/

export async function httpSession({ both }: World): Promise<void> {
  const paths = [...new Set(allRoutes('0').map(({ path }) => path))].filter((path) => !ours.test(path))
  const plain = paths.map((path) => path.replaceAll(/\{[^}]+\}/g, 'x'))
  for (const path of plain) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (/package-vetting|pruning/.test(path) && method !== 'PUT') continue
      await both.call(method, path)
    }
    await both.call('GET', `${path}/`)
    await both.call('HEAD', `${path}/`)
  }
  const pages = [
    '/livez',
    '/readyz',
    '/docs/openapi',
    '/docs/asyncapi',
    '/',
    '/v2',
    '/v2/',
    '/v1/query',
    '/v2/nothing',
    '/docs',
  ]
  for (const path of pages) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) await both.call(method, path)
    await both.call('GET', `${path}/`)
  }
  const accepts = [
    'application/json',
    '*/*',
    'text/html',
    'application/json;q=0',
    '',
    'text/plain',
    'application/x-ndjson',
  ]
  for (const accept of accepts) {
    await both.get('/v2/version', { headers: { accept } })
    await both.get('/v2/users/nobody', { headers: { accept } })
    await both.get('/livez', { headers: { accept } })
  }
  const headers: readonly Record<string, string>[] = [
    ...[
      { authorization: 'Bearer ' },
      { authorization: 'Bearer' },
      { authorization: 'Basic eDp5' },
      { authorization: '' },
    ],
    ...[{ traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` }, { traceparent: 'nonsense' }],
    ...[{ 'content-type': 'text/plain' }, { 'content-type': 'nonsense' }, { 'content-type': '' }],
  ]
  for (const one of headers) {
    await both.get('/v2/version', { headers: one })
    await both.get('/v2/users/nobody', { headers: one })
    await both.post('/v2/users', { user: { id: '' } }, { headers: one })
  }
  for (const body of [
    '',
    '[]',
    'null',
    '{',
    '"x"',
    '5',
    '{"user":',
    '{"a":1,}',
    'x',
    '\u0000',
    '{} {}',
    '[',
    'tru',
    '{"a" 1}',
    '{a:1}',
    '"\\x"',
    '01',
    '-',
    '1e',
    '"abc',
    '{"a":1 "b":2}',
    '[1 2]',
    'nul',
    '\t',
    '\ufeff{}',
  ]) {
    for (const path of [
      '/v2/users',
      '/v2/commands/async/submit',
      '/v2/commands/async/submit-reassignment',
      '/v2/updates/trees',
      '/v2/updates/transaction-by-offset',
      '/v2/parties',
      '/v2/idps',
      '/v2/state/active-contracts',
    ]) {
      await both.call('POST', path, { body })
    }
    await both.call('PATCH', '/v2/idps/x', { body })
  }
}
