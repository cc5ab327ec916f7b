// Why Java refuses a URI, in its words (java.net.URI, then URL): Canton repeats them for the key URL of an identity provider.
// The grammar is RFC 2396 with Java's deviations.
import { isIPv6 } from 'node:net'

const unreserved = "A-Za-z0-9\\-_.!~*'()"
/** Escapes and characters beyond ASCII are looked at one by one. */
const classes = {
  uric: new RegExp(`[${unreserved};/?:@&=+$,[\\]]`),
  path: new RegExp(`[${unreserved}:@&=+$,;/]`),
  registry: new RegExp(`[${unreserved}$,;:@&=+]`),
  server: new RegExp(`[${unreserved};:&=+$,.@[\\]%]`),
}

class UriProblem extends Error {}

/** Undefined for a URI that Java's URL accepts, whatever its scheme. */
export function javaUriProblem(text: string): string | undefined {
  try {
    const scheme = readUri(text)
    return scheme === undefined ? 'URI is not absolute' : portProblem(text.slice(scheme.length + 1))
  } catch (error) {
    if (error instanceof UriProblem) return error.message
    throw error
  }
}

function readUri(text: string): string | undefined {
  const [head] = text.split(/[/?#]/, 1)
  const colon = head!.indexOf(':')
  if (colon < 0) {
    readHierarchical(text, 0)
    return undefined
  }
  if (colon === 0) fail(text, 'Expected scheme name', 0)
  for (let index = 0; index < colon; index += 1) {
    const isPart = (index === 0 ? /[A-Za-z]/ : /[A-Za-z0-9+\-.]/).test(text[index]!)
    if (!isPart) fail(text, 'Illegal character in scheme name', index)
  }
  const start = colon + 1
  if (text[start] === '/') {
    readHierarchical(text, start)
  } else {
    const end = endOf(text, start, '#')
    if (end <= start) fail(text, 'Expected scheme-specific part', start)
    check(text, start, end, classes.uric, 'opaque part')
    readFragment(text, end)
  }
  return text.slice(0, colon)
}

function readHierarchical(text: string, start: number): void {
  let position = start
  if (text.startsWith('//', position)) {
    position += 2
    const end = endOf(text, position, '/?#')
    if (end > position) readAuthority(text, position, end)
    else if (end === text.length) fail(text, 'Expected authority', position)
    position = end
  }
  const path = endOf(text, position, '?#')
  check(text, position, path, classes.path, 'path')
  const query = text[path] === '?' ? endOf(text, path, '#') : path
  check(text, path + 1, query, classes.uric, 'query')
  readFragment(text, query)
}

function readFragment(text: string, position: number): void {
  if (text[position] === '#') check(text, position + 1, text.length, classes.uric, 'fragment')
}

/** Java accepts any authority that could be a registry's name; only brackets force it to be a server. */
function readAuthority(text: string, start: number, end: number): void {
  const isServer = scan(text, start, end, classes.server) === end
  if (scan(text, start, end, classes.registry) === end) return
  if (!isServer) fail(text, 'Illegal character in authority', start)
  const at = text.slice(start, end).indexOf('@')
  const host = start + at + 1
  if (text[host] === '[') return readAddress(text, host + 1, end)
  const label = /^[A-Za-z0-9\-.]*/.exec(text.slice(host, end))![0]
  fail(text, 'Illegal character in hostname', host + label.length)
}

function readAddress(text: string, start: number, end: number): void {
  const close = endOf(text, start, ']')
  if (close >= end) fail(text, 'Expected closing bracket for IPv6 address', end)
  if (!isIPv6(text.slice(start, close))) fail(text, 'Malformed IPv6 address', start)
  const port = close + 2
  if (close + 1 === end) return
  if (text[close + 1] !== ':') fail(text, 'Expected port number', close + 1)
  const bad = text.slice(port, end).search(/\D/)
  if (bad >= 0) fail(text, 'Illegal character in port number', port + bad)
}

/** Checks the part after the scheme of a URL that has an authority. */
function portProblem(text: string): string | undefined {
  const authority = /^\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const colon = host.startsWith('[') ? -1 : host.indexOf(':')
  const port = colon < 0 ? '' : host.slice(colon + 1)
  if (port === '' || /^[+-]?\d+$/.test(port)) return undefined
  return `Error at index ${/^[+-]?\d*/.exec(port)![0].length} in: "${port}"`
}

function check(text: string, start: number, end: number, allowed: RegExp, what: string): void {
  const stop = scan(text, start, end, allowed)
  if (stop < end) fail(text, `Illegal character in ${what}`, stop)
}

/** Where the first character is that may not be there. */
function scan(text: string, start: number, end: number, allowed: RegExp): number {
  let position = start
  while (position < end) {
    const character = text[position]!
    const isOther = character > '\u0080' && !/[\p{Z}\p{Cc}]/u.test(character)
    if (allowed.test(character) || isOther) position += 1
    else if (character !== '%') return position
    else if (/^%[0-9A-Fa-f]{2}$/.test(text.slice(position, Math.min(position + 3, end)))) position += 3
    else fail(text, 'Malformed escape pair', position)
  }
  return position
}

function endOf(text: string, start: number, stops: string): number {
  let position = start
  while (position < text.length && !stops.includes(text[position]!)) position += 1
  return position
}

function fail(text: string, reason: string, index: number): never {
  throw new UriProblem(`${reason} at index ${index}: ${text}`)
}
