// Names of parties: the entries that users have bought, and those of the DSO and its super validator, which nobody has to buy.
import { templates } from '../ledger/templates.ts'
import type { RouteContext } from '../serving/route.ts'

export type AnsEntry = {
  readonly contract_id?: string
  readonly user: string
  readonly name: string
  readonly url: string
  readonly description: string
  readonly expires_at?: string
}

/** Of the name service, as names end in it. */
const suffix = 'ans'

/** Those that have not expired, bought ones first. */
export async function ansEntries({ network, dso, now }: RouteContext): Promise<readonly AnsEntry[]> {
  const nowMs = await now()
  const bought = (await dso.all(templates.ansEntry)).filter(({ payload }) => Date.parse(payload.expiresAt) > nowMs)
  const given = (user: string, name: string): AnsEntry => ({ user, name, url: '', description: '' })
  return [
    ...bought.map(({ contractId, payload }): AnsEntry => {
      const { user, name, url, description, expiresAt } = payload
      return { contract_id: contractId, user, name, url, description, expires_at: expiresAt }
    }),
    given(network.dso, `dso.${suffix}`),
    given(network.sv.party, `sv.sv.${suffix}`),
  ]
}

/** By the beginning of their names. */
export async function listAnsEntries(context: RouteContext, query: URLSearchParams): Promise<object> {
  const prefix = query.get('name_prefix') ?? ''
  const pageSize = Number(query.get('page_size') ?? 100)
  const found = (await ansEntries(context)).filter(({ name }) => name.startsWith(prefix))
  return { entries: found.slice(0, pageSize) }
}

/** Undefined if there is none. */
export async function ansEntryBy(
  context: RouteContext,
  field: 'user' | 'name',
  value: string,
): Promise<{ readonly entry: AnsEntry } | undefined> {
  const entry = (await ansEntries(context)).find((one) => one[field] === value)
  return entry && { entry }
}
