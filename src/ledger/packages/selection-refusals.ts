// Why no package can be selected for a name, in Canton's words (PackagePreferenceBackend.scala).
import { type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { shortHash, shortIdentifier } from '../../base/names.ts'
import type { PackageRecord } from '../../store/core/administration-records.ts'
import { physicalId, type Synchronizer } from '../model/synchronizers.ts'

export function notConnected(): LedgerError {
  const text = 'This participant is not connected to any synchronizer.'
  return new LedgerError('NOT_CONNECTED_TO_ANY_SYNCHRONIZER', text)
}

export function namesNotFound(names: readonly string[], more: ErrorDetails | false = false): LedgerError {
  const text = 'The following package names do not match upgradable packages uploaded on this participant'
  return new LedgerError('PACKAGE_NAMES_NOT_FOUND', `${text}: [${names.join(', ')}].`, {
    about: { kind: 'packages', names },
    ...more,
  })
}

/** A synchronizer without a package for the name, and why. The words for a restriction differ. */
export type Discarded = { readonly synchronizer: Synchronizer; readonly reason: (restriction: string) => string }

export function noneSatisfies(discarded: readonly Discarded[], restriction: string): string {
  const text = 'No synchronizer satisfies the vetting requirements. Discarded synchronizers'
  const shown = discarded.map(({ synchronizer, reason }) => `(${physicalId(synchronizer)},${reason(restriction)})`)
  return `${text}: List(${shown.join(', ')})`
}

export function noneVetted(name: string, party: string): string {
  const participants = `all hosting participants of party ${shortIdentifier(party)}`
  return `No package with package-name '${name}' is consistently vetted by ${participants}.`
}

/** Each of the parties has vetted some version, but no one version is vetted by all of them. */
export function noneTogether(
  name: string,
  party: string,
  before: readonly PackageRecord[],
  vetted: readonly PackageRecord[],
): string {
  const shown = (records: readonly PackageRecord[]) => {
    const texts = records.map((one) => `pkg:${one.name}:${one.version}/${shortHash(one.id)}`)
    return texts.length === 1 ? texts[0]! : `Set(${texts.join(', ')})`
  }
  return [
    `No package candidates for '${name}' after considering candidates for party ${shortIdentifier(party)}.`,
    `Current candidates: ${shown(before)}.`,
    `Candidates for party ${shortIdentifier(party)}: ${shown(vetted)}`,
  ].join('\n')
}

export function noneFits(
  name: string,
  allowed: readonly string[],
  vetted: readonly PackageRecord[],
  restriction: string,
): string {
  const filter = `'${restriction}'=${name} -> ${shownIds(allowed)}`
  const candidates = shownIds(vetted.map(({ id }) => id))
  return `No vetted package candidate satisfies the package-id filter ${filter}.\nCandidates: ${candidates}`
}

/** Canton prints a collection of one as its element. */
function shownIds(ids: readonly string[]): string {
  const shown = ids.map(shortHash)
  return shown.length === 1 ? shown[0]! : `Set(${shown.join(', ')})`
}
