// What Java 17 said about each of these.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { javaUriProblem } from './java-uri.ts'

const absolute = 'URI is not absolute'
const cases: [uri: string, problem: string | undefined][] = [
  ['https://a.example:8443/keys?x=1#y', undefined],
  ['http:///x', undefined],
  ['http:/a', undefined],
  ['http:?x', undefined],
  ['http://user@', undefined],
  ['http://a_b/', undefined],
  ['http://a/ä', undefined],
  ['http://[::1]:80/', undefined],
  ['http://a:-1', undefined],
  ['foo://a', undefined],
  ['x', absolute],
  ['//a/b', absolute],
  [':', 'Expected scheme name at index 0: :'],
  [' ', 'Illegal character in path at index 0:  '],
  ['a:', 'Expected scheme-specific part at index 2: a:'],
  ['http:', 'Expected scheme-specific part at index 5: http:'],
  ['http://', 'Expected authority at index 7: http://'],
  ['http://a b', 'Illegal character in authority at index 7: http://a b'],
  ['http://a{b', 'Illegal character in authority at index 7: http://a{b'],
  ['http://a/b c', 'Illegal character in path at index 10: http://a/b c'],
  ['http://a/\u00a0', 'Illegal character in path at index 9: http://a/\u00a0'],
  ['http://a?x y', 'Illegal character in query at index 10: http://a?x y'],
  ['http://a#b#c', 'Illegal character in fragment at index 10: http://a#b#c'],
  ['http://a/%zz', 'Malformed escape pair at index 9: http://a/%zz'],
  ['http://a/%a', 'Malformed escape pair at index 9: http://a/%a'],
  ['http://%zz/', 'Malformed escape pair at index 7: http://%zz/'],
  ['ht tp://a', 'Illegal character in scheme name at index 2: ht tp://a'],
  ['1http://a', 'Illegal character in scheme name at index 0: 1http://a'],
  ['http://[::1', 'Expected closing bracket for IPv6 address at index 11: http://[::1'],
  ['http://[x]/', 'Malformed IPv6 address at index 8: http://[x]/'],
  ['http://a]/', 'Illegal character in hostname at index 8: http://a]/'],
  ['http://a:x', 'Error at index 0 in: "x"'],
  ['http://a:80:90/', 'Error at index 2 in: "80:90"'],
]

for (const [uri, problem] of cases) {
  test(`${JSON.stringify(uri)} is ${problem === undefined ? 'a URI' : 'refused in the words of Java'}`, () => {
    assert.equal(javaUriProblem(uri), problem)
  })
}
