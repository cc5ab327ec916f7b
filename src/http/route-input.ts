// What comes in for a route: its path as the router writes it, its parameters and its body.
import type { Settings } from '../base/settings.ts'
import type { Route } from './route.ts'
import { decodeBody } from './wire/decode.ts'

const noBytes = new Uint8Array()

/** Where a GET takes a body, it may be left out. */
export function readBody(
  { method, body: kind }: Route,
  body: unknown,
  compatibility: Settings['compatibility'],
): unknown {
  if (kind === undefined) return undefined
  if (kind === 'bytes') return body ?? noBytes
  const text = (body as string | undefined) || (method === 'GET' ? '{}' : '')
  return decodeBody(kind, text, compatibility)
}

export function routerPath({ path }: Route): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `:${routerName(name)}`)
}

/** Fastify's parameter names cannot have dashes; the API's do. */
function routerName(name: string): string {
  return name.replaceAll('-', '_')
}

export function paramReader(path: string): (params: Record<string, string>) => Record<string, string> {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  return (params) => Object.fromEntries(names.map((name) => [name, params[routerName(name)]!]))
}

export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}
