// A ledger with one random package, and the submissions to it.
import { readFileSync } from 'node:fs'
import { decodeDar } from '../../../src/lf/dar/dar.ts'
import { encodePackage } from '../../support/lf/package-encoder.ts'
import { darOf } from '../../support/lf/package-writer.ts'
import { type Loaded, withPackages } from '../load.ts'
import type { Recorded } from '../recorded-values.ts'
import { submissionSequence, submissionSettings } from './random-submissions.ts'
import { updatePackage } from './update-packages.ts'

/** Packages that the results of queries by key come from. */
const stable = decodeDar(readFileSync(new URL('../../lf/keys-lf23.dar', import.meta.url))).packages.slice(1)

export type UpdateLedger = {
  readonly dar: Buffer
  readonly loaded: Loaded
  readonly recording: Recorded
  cases(): Recorded[]
}

export function openUpdateLedger(seed: number, file = ''): UpdateLedger {
  const { id, archive } = encodePackage(updatePackage(seed))
  const others = stable.map(({ bytes, package: { id: other } }) => [`${other}.dalf`, bytes] as const)
  const dar = darOf(Object.fromEntries([[`${id}.dalf`, archive], ...others]))
  const packages = decodeDar(dar).packages.map((each) => each.package)
  const [main] = packages
  const recording = { ...submissionSettings, dars: [file], packages: { [main!.name]: id } }
  const loaded = withPackages(recording, new Map(packages.map((each) => [each.id, each])))
  return { dar, loaded, recording, cases: () => submissionSequence(seed, [main!], loaded) }
}
