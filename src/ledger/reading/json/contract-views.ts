// What a reader gets with a created event: the blob and the interface views. The engine computes views; they are cached
// here, because a contract never changes.
import { LedgerError } from '../../../base/errors.ts'
import type { CacheCounting } from '../../../base/metrics.ts'
import type { Extras } from '../../../events/json/event-json.ts'
import type { ContractRecord } from '../../../store/core/contract-records.ts'
import { errorStatus, okStatus } from '../../model/error-status.ts'
import type { PartySet, TemplateRule, WantedInterface } from '../requests/event-matcher.ts'
import type { ViewRequest, ViewResult } from '../requests/queries.ts'

/** What the readers of a created event want with it. */
export type Wanted = {
  readonly contractId: string
  readonly wantsBlob: boolean
  readonly interfaces: readonly WantedInterface[]
}

type BlobRow = Pick<ContractRecord, 'contractId' | 'blob'>

export type ContractViews = {
  /** By contract id, for contracts in `rows`. */
  show(wanted: readonly Wanted[], rows: readonly BlobRow[]): Promise<Map<string, Extras>>
}

type Parts = {
  readonly views: (requests: readonly ViewRequest[]) => Promise<readonly ViewResult[]>
  /** Size of the cache. */
  readonly bytesMax: number
  readonly counting?: CacheCounting | undefined
}

type Missing = ViewRequest & { readonly key: string }

export function createContractViews({ views, bytesMax, counting }: Parts): ContractViews {
  const remembered = new Map<string, string>()
  let bytes = 0
  const counts = counting?.({ entries: () => remembered.size, bytes: () => bytes })

  function remember(key: string, json: string): void {
    if (remembered.has(key)) return
    remembered.set(key, json)
    bytes += sizeOf(key, json)
    for (const [oldest, text] of remembered) {
      if (bytes <= bytesMax) return
      remembered.delete(oldest)
      bytes -= sizeOf(oldest, text)
    }
  }

  /** Failures are not cached: some are transient. */
  async function compute(missing: readonly Missing[]): Promise<Map<string, ViewResult>> {
    const results = missing.length === 0 ? [] : await views(missing)
    const byKey = new Map(missing.map(({ key }, index) => [key, results[index]!]))
    for (const [key, result] of byKey) if (result.kind === 'view') remember(key, result.json)
    return byKey
  }

  return {
    async show(wanted, rows) {
      const blobs = new Map(rows.map(({ contractId, blob }) => [contractId, blob]))
      const known = new Map<string, ViewResult>()
      const missing: Missing[] = []
      for (const { contractId, interfaces } of wanted) {
        const blob = blobs.get(contractId)
        if (blob === undefined) continue
        for (const { implementation } of interfaces) {
          if (implementation.templateId === undefined) continue
          const { templateId, interfaceId } = implementation
          const key = keyOf(contractId, implementation)
          const json = remembered.get(key)
          if (counts !== undefined) counts[json === undefined ? 'misses' : 'hits'] += 1
          if (json === undefined) missing.push({ key, templateId, interfaceId, blob })
          else known.set(key, { kind: 'view', json })
        }
      }
      for (const [key, result] of await compute(missing)) known.set(key, result)
      const shown = new Map<string, Extras>()
      for (const { contractId, wantsBlob, interfaces } of wanted) {
        const blob = blobs.get(contractId)
        if (blob === undefined) continue
        const list = interfaces.map((one) => viewJson(contractId, one, known))
        shown.set(contractId, `"createdEventBlob":"${wantsBlob ? base64(blob) : ''}","interfaceViews":[${list.join()}]`)
      }
      return shown
    },
  }
}

/** Undefined if the witnesses want only the event. */
export function wantedOf(contractId: string, rule: TemplateRule, witnesses: readonly string[]): Wanted | undefined {
  const wantsBlob = isAmong(rule.blobFor, witnesses)
  const interfaces = interfacesFor(rule, witnesses)
  return wantsBlob || interfaces.length > 0 ? { contractId, wantsBlob, interfaces } : undefined
}

/** Interface ids, for events that show no views. */
export function implementedInterfaces(rule: TemplateRule, witnesses: readonly string[]): string {
  return rule.interfaces.length === 0
    ? '[]'
    : JSON.stringify(interfacesFor(rule, witnesses).map(({ implementation }) => implementation.interfaceId))
}

function interfacesFor({ interfaces }: TemplateRule, witnesses: readonly string[]): readonly WantedInterface[] {
  return interfaces.length === 0 ? interfaces : interfaces.filter(({ wantedBy }) => isAmong(wantedBy, witnesses))
}

function isAmong(set: PartySet, parties: readonly string[]): boolean {
  return set === 'everybody' || (set.size > 0 && parties.some((party) => set.has(party)))
}

function viewJson(
  contractId: string,
  { implementation }: WantedInterface,
  results: ReadonlyMap<string, ViewResult>,
): string {
  const head = `{"interfaceId":"${implementation.interfaceId}","viewStatus":`
  if (implementation.templateId === undefined) {
    return `${head}${untraced(implementation.problem)},"viewValue":null,"implementationPackageId":null}`
  }
  const result = results.get(keyOf(contractId, implementation))!
  const tail = `,"implementationPackageId":"${implementation.templateId.split(':', 1)[0]}"}`
  if (result.kind === 'view') return `${head}${okStatus},"viewValue":${result.json}${tail}`
  const problem = new LedgerError(result.code, result.message, result.details)
  return `${head}${untraced(problem)},"viewValue":null${tail}`
}

/** Views belong to a reader, not to the trace of a request. */
function untraced(problem: LedgerError): string {
  return errorStatus(problem, undefined)
}

function keyOf(contractId: string, { templateId, interfaceId }: { templateId: string; interfaceId: string }): string {
  return `${contractId} ${templateId} ${interfaceId}`
}

function sizeOf(key: string, json: string): number {
  return 2 * (key.length + json.length)
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
