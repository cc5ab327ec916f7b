// Annotations of users and parties: small key-value notes with Kubernetes-like keys. Mirrors Canton's
// ResourceAnnotationValidation.
import { invalidArgument } from '../../base/errors.ts'
import { abbreviate, isStorable } from '../../base/names.ts'
import type { Annotations } from '../../store/core/administration-records.ts'

const nameLengthMax = 63
const prefixLengthMax = 253
const namePattern = /^[a-zA-Z0-9]([a-zA-Z0-9.\-_]*[a-zA-Z0-9])?$/
const dnsLabelPattern = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/

/** Bytes of annotations of one user or party: Canton's limit. */
export const annotationBytesMax = 256 * 1024

type Rules = { readonly field: string; readonly emptyValues: 'allowed' | 'forbidden' }

export function checkAnnotations(annotations: Annotations, { field, emptyValues }: Rules): void {
  const entries = Object.entries(annotations)
  if (annotationBytes(annotations) > annotationBytesMax) {
    throw invalidArgument(
      `annotations from field '${field}' are larger than the limit of ${annotationBytesMax / 1024}kb`,
    )
  }
  for (const [key] of entries) {
    const problem = keyProblem(key)
    if (problem !== undefined) throw invalidArgument(problem)
  }
  for (const [key, value] of entries) {
    if (value === '' && emptyValues === 'forbidden') {
      throw invalidArgument(`The value of an annotation is empty for key: '${key}'`)
    }
    if (!isStorable(value)) {
      throw invalidArgument(`The value of the annotation '${key}' holds a character that cannot be stored`)
    }
  }
}

/** New entries overwrite or add, empty values delete, other keys stay. */
export function mergeAnnotations(current: Annotations, changes: Annotations): Annotations {
  const merged = Object.entries({ ...current, ...changes }).filter(([, value]) => value !== '')
  return Object.fromEntries(merged)
}

/** Entries without a value do not count: they only delete. */
export function annotationBytes(annotations: Annotations): number {
  return Object.entries(annotations)
    .filter(([, value]) => value !== '')
    .reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
}

function keyProblem(key: string): string | undefined {
  const parts = key === '' ? [''] : key.replace(/\/+$/, '').split('/')
  if (parts.length > 2 || (key !== '' && parts[0] === '' && parts.length === 1)) {
    return `Key '${abbreviate(key)}' contains more than one forward slash ('/') character`
  }
  const name = parts.at(-1)!
  const prefix = parts.length === 2 ? parts[0]! : undefined
  if (prefix !== undefined) {
    if (prefix.length > prefixLengthMax) {
      return `Key prefix segment '${abbreviate(prefix)}' exceeds maximum length of ${prefixLengthMax} characters`
    }
    if (!prefix.split('.').every((label) => dnsLabelPattern.test(label))) {
      return `Key prefix segment '${abbreviate(prefix)}' has invalid syntax`
    }
  }
  if (name.length > nameLengthMax) {
    return `Key name segment '${abbreviate(name)}' exceeds maximum length of ${nameLengthMax} characters`
  }
  if (!namePattern.test(name)) return `Key name segment '${abbreviate(name)}' has invalid syntax`
  return undefined
}
