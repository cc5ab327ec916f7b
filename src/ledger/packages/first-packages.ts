// The packages that a node uploads when it starts.
import { existsSync, readFileSync } from 'node:fs'
import { isStoreUnavailable, LedgerError, StartError } from '../../base/errors.ts'
import { isDevelopment, type Settings } from '../../base/settings.ts'
import type { Packages } from './packages.ts'

/** In the source tree, and in the bundle. */
const quickstartPlaces = ['../../../packages/quickstart/quickstart.dar', './quickstart.dar']

/** A development node without packages starts with the quickstart package. */
export async function uploadQuickstart(settings: Settings, packages: Packages): Promise<void> {
  if (!isDevelopment(settings) || (await packages.list()).length > 0) return
  const file = quickstartPlaces.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place))
  if (file !== undefined)
    await packages.upload({ bytes: readFileSync(file), vetAllPackages: true, synchronizerId: undefined }, true)
}

/** Starts the thread that reads DARs, which takes as long as opening a ledger. */
export async function expectUpload(): Promise<void> {
  const { expectTask } = await import('./package-threads.ts')
  expectTask()
}

/** A development node may have an older build of a package in its ledger. */
export async function uploadDars(settings: Settings, packages: Packages): Promise<void> {
  for (const file of settings.dars) {
    try {
      const request = { bytes: readFileSync(file), synchronizerId: undefined }
      if (isDevelopment(settings)) await packages.takeOver(request)
      else await packages.upload({ ...request, vetAllPackages: true })
    } catch (error) {
      if (isStoreUnavailable(error)) throw error // The start is tried again.
      throw new StartError(darProblem(file, error))
    }
  }
}

/** Why a DAR is not uploaded, in one sentence. Throws what is no problem of the file. */
export function darProblem(file: string, error: unknown): string {
  if (error instanceof LedgerError) {
    const { about, context = {} } = error.details
    const details = about?.kind === 'advice' ? about.text : Object.values(context).join('; ')
    return `cannot upload ${file}: ${error.message}${details === '' ? '' : ` (${details})`}`
  }
  if ((error as { syscall?: string }).syscall === undefined) throw error
  return `cannot read the DAR: ${(error as Error).message}`
}
