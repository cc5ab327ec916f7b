import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Route, routeAt, routes } from './routes.ts'

const load = async () => () => null
const some: readonly Route[] = ['/', '/updates', '/updates/:id', '/a/:x/b/:y'].map((path) => ({ path, load }))

const rows: [path: string, route: string | undefined, params?: Record<string, string>][] = [
  ['/', '/', {}],
  ['/updates', '/updates', {}],
  ['/updates/12', '/updates/:id', { id: '12' }],
  ['/updates/a%2Fb%20c', '/updates/:id', { id: 'a/b c' }],
  ['/a/__proto__/b/constructor', '/a/:x/b/:y', { x: '__proto__', y: 'constructor' }],
  ['/updates/%', undefined],
  ['/updates/', undefined],
  ['/other', undefined],
]
for (const [path, route, params = {}] of rows) {
  test(`${path} is ${route ?? 'no page'}`, () => {
    const found = routeAt(path, some)
    assert.equal(found?.route.path, route)
    if (found !== undefined) assert.deepEqual({ ...found.params }, { ...params })
  })
}

test('pages have paths and keys of their own', () => {
  const paths = routes.map(({ path }) => path)
  const keys = routes.flatMap(({ nav }) => (nav ? [nav.key] : []))
  assert.deepEqual([paths, keys], [[...new Set(paths)], [...new Set(keys)]])
})
