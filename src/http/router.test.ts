import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DecodeError } from '../api/wire/decode.ts'
import { createRouter } from './router.ts'

const router = createRouter<string>()
for (const route of [
  'GET /v2/users',
  'POST /v2/users',
  'GET /v2/users/{user-id}',
  'DELETE /v2/users/{user-id}',
  'GET /v2/users/{user-id}/rights',
  'GET /v2/parties/participant-id',
  'GET /v2/parties/{party}',
  'PATCH /v2/parties/{party}',
  'GET /explorer/{path*}',
  'GET /explorer/known/{id}',
]) {
  const [method, path] = route.split(' ') as [string, string]
  router.add(method, path, route)
}

describe('a router', () => {
  const found: [method: string, path: string, route: string, params?: Record<string, string>][] = [
    ['GET', '/v2/users', 'GET /v2/users'],
    ['POST', '/v2/users', 'POST /v2/users'],
    ['HEAD', '/v2/users', 'GET /v2/users'],
    ['GET', '/v2/users/alice', 'GET /v2/users/{user-id}', { 'user-id': 'alice' }],
    ['GET', '/v2/users/a%2Fb%20c', 'GET /v2/users/{user-id}', { 'user-id': 'a/b c' }],
    ['GET', '/v2/users/rights', 'GET /v2/users/{user-id}', { 'user-id': 'rights' }],
    ['GET', '/v2/users/alice/rights', 'GET /v2/users/{user-id}/rights', { 'user-id': 'alice' }],
    ['GET', '/v2/users/__proto__', 'GET /v2/users/{user-id}', { 'user-id': '__proto__' }],
    ['GET', '/v2/%75sers', 'GET /v2/users'],
    ['GET', '/v2/parties/participant-id', 'GET /v2/parties/participant-id'],
    ['PATCH', '/v2/parties/participant-id', 'PATCH /v2/parties/{party}', { party: 'participant-id' }],
    ['GET', '/v2/parties/a::b', 'GET /v2/parties/{party}', { party: 'a::b' }],
    ['GET', '/explorer/a', 'GET /explorer/{path*}', { path: 'a' }],
    ['GET', '/explorer/a/b%2Fc', 'GET /explorer/{path*}', { path: 'a/b%2Fc' }],
    ['GET', '/explorer/known/b', 'GET /explorer/known/{id}', { id: 'b' }],
    ['GET', '/explorer/known/b/c', 'GET /explorer/{path*}', { path: 'known/b/c' }],
  ]
  for (const [method, path, handler, params = {}] of found) {
    test(`finds ${method} ${path}`, () => assert.deepEqual(router.find(method, path), { handler, params }))
  }

  const missing: [method: string, path: string, methods: string[]][] = [
    ['GET', '/', []],
    ['GET', '/v2', []],
    ['GET', '/v2/users/', []],
    ['GET', '/v2/Users', []],
    ['GET', '/v2/users/alice/', []],
    ['GET', '/v2/users/alice/rights/more', []],
    ['GET', '/constructor', []],
    ['PUT', '/v2/users', ['GET', 'POST']],
    ['PATCH', '/v2/users/alice', ['DELETE', 'GET']],
    ['DELETE', '/v2/parties/participant-id', ['GET', 'PATCH']],
    ['OPTIONS', '*', ['DELETE', 'GET', 'PATCH', 'POST']],
  ]
  for (const [method, path, methods] of missing) {
    test(`finds no ${method} ${path}, and ${methods.join(', ') || 'no method'} there`, () => {
      assert.equal(router.find(method, path), undefined)
      assert.deepEqual([...router.methods(path)].sort(), methods)
    })
  }

  test('refuses a path that cannot be decoded', () => {
    assert.throws(() => router.find('GET', '/v2/users/%zz'), DecodeError)
    assert.throws(() => router.find('GET', '/v2/users/%ff'), DecodeError)
  })
})
