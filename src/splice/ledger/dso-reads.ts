// What everybody may know of the DSO: its rules, its rounds, and what its parties hold. Read as the DSO, on the participant of its
// super validator; that is what Splice's scan does.
import type { Contract, Participant } from './participant.ts'
import { templates } from './templates.ts'

export type DsoReads = {
  /** All active contracts of a template that the DSO sees. */
  all(template: string): Promise<Contract[]>
  /** The only one, such as the rules; undefined before the DSO is founded. */
  only(template: string): Promise<Contract | undefined>
  /** By contract id; undefined if it is not active. */
  byId(template: string, contractId: string): Promise<Contract | undefined>
  /** The newest round that is open at this time. */
  usableRound(nowMs: number): Promise<Contract | undefined>
}

/** Where the DSO is not founded, it has no contracts: not even their packages are there. */
export function createDsoReads(participant: Participant, dso: string, isFounded: boolean): DsoReads {
  /** The last read of each template. Anybody may ask scan, so what has not changed is read once. */
  const reads = new Map<string, { readonly offset: number; readonly contracts: Promise<Contract[]> }>()

  async function all(template: string): Promise<Contract[]> {
    if (!isFounded) return []
    const offset = await participant.end()
    const last = reads.get(template)
    if (last?.offset === offset) return last.contracts
    const contracts = participant.contracts(template, [dso], offset)
    reads.set(template, { offset, contracts })
    contracts.catch(() => reads.delete(template))
    return contracts
  }

  return {
    all,
    only: async (template) => (await all(template))[0],
    byId: async (template, id) => (await all(template)).find(({ contractId }) => contractId === id),
    async usableRound(nowMs) {
      const rounds = await all(templates.openMiningRound)
      return rounds
        .filter(({ payload }) => Date.parse(payload.opensAt) <= nowMs)
        .toSorted((one, other) => roundOf(other) - roundOf(one))[0]
    },
  }
}

/** The number of a round. */
export function roundOf({ payload }: Contract): number {
  return Number(payload.round.number)
}
