// A cache of compiled formats. Clients repeat their requests, page after page and lookup after lookup; work done once
// for an outline of transactions is reused.
import type { CacheCounting } from '../../../base/metrics.ts'
import type { TransactionForm } from '../../../events/json/transaction-json.ts'
import type { PackageContents } from '../../packages/package-contents.ts'
import type { UpdateFormat } from '../requests/queries.ts'
import { updateFormatText } from '../requests/read-tokens.ts'
import { createUpdateElements, type ElementParts, type UpdateElements, type Wrapping } from './update-elements.ts'

export type Asked = { readonly format: UpdateFormat; readonly form: TransactionForm; readonly wrapping: Wrapping }

export type Compiled = {
  /** Equal for equal requests. */
  readonly key: string
  /** Undefined if nothing can match the format. */
  readonly elements: UpdateElements | undefined
}

export type CompiledFormats = (asked: Asked, contents: PackageContents) => Compiled

const formatsMax = 32
/** A format may name thousands of parties. */
const keyLengthMax = 4096

export function createCompiledFormats(parts: ElementParts, counting?: CacheCounting): CompiledFormats {
  const latest = new Map<string, Compiled>()
  const counts = counting?.({ entries: () => latest.size })
  return (asked, contents) => {
    const { format, form, wrapping } = asked
    const key = `${form} ${wrapping} ${contents.version()} ${updateFormatText(format)}`
    const known = latest.get(key)
    if (counts !== undefined) counts[known === undefined ? 'misses' : 'hits'] += 1
    if (known !== undefined) return known
    const compiled = { key, elements: createUpdateElements(parts, format, { contents, form, wrapping }) }
    if (compiled.elements?.isLasting && key.length <= keyLengthMax) {
      latest.set(key, compiled)
      if (latest.size > formatsMax) latest.delete(latest.keys().next().value!)
    }
    return compiled
  }
}
