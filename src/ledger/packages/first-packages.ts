// The packages that a node uploads when it starts.
import { existsSync, readFileSync } from 'node:fs'
import { LedgerError, StartError } from '../../base/errors.ts'
import { isDevelopment, type Settings } from '../../base/settings.ts'
import type { Packages } from './packages.ts'

/** In the source tree, and in the bundle. */
const quickstartPlaces = ['../../../packages/quickstart/quickstart.dar', './quickstart.dar']

/** A development node without packages starts with the quickstart package. */
export async function uploadDars(settings: Settings, packages: Packages): Promise<void> {
  const wantsQuickstart = isDevelopment(settings) && (await packages.list()).length === 0
  const quickstart = quickstartPlaces.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place))
  if (wantsQuickstart && quickstart) await uploadFile(quickstart, packages, true)
  for (const file of settings.dars) await uploadFile(file, packages)
}

async function uploadFile(file: string | URL, packages: Packages, isOwn = false): Promise<void> {
  try {
    await packages.upload({ bytes: readFileSync(file), vetAllPackages: true, synchronizerId: '' }, isOwn)
  } catch (error) {
    if (error instanceof LedgerError) {
      const details = Object.values(error.details.context ?? {}).join('; ')
      throw new StartError(`cannot upload ${file}: ${error.message}${details === '' ? '' : ` (${details})`}`)
    }
    if ((error as { syscall?: string }).syscall === undefined) throw error
    throw new StartError(`cannot read the DAR: ${(error as Error).message}`)
  }
}
