// Identity provider configs: issuers that are trusted besides the statically configured keys. Rules, their order and
// error texts mirror Canton's ApiIdentityProviderConfigService and its stores.
import { createCache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'
import { invalidArgument, invalidField, LedgerError, missingField, type Resource } from '../../base/errors.ts'
import type { Caches } from '../../base/metrics.ts'
import { isStorable, ledgerStringProblem, shorten } from '../../base/names.ts'
import type { Limits } from '../../base/settings.ts'
import type { IdentityProviderRecord } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import { javaUriProblem } from './java-uri.ts'
import { selected, selectFields } from './update-requests.ts'

export type IdentityProviderConfig = IdentityProviderRecord

/** The identity provider of everything that the statically configured keys sign. */
export const defaultIdentityProvider = ''

// PostgreSQL cannot index longer texts, and no real issuer comes near.
const textBytesMax = 2048

// Cached issuers, unknown ones included: a stream of made-up issuers must not fill the memory.
const issuersMax = 1000

const updatableFields = ['identity_provider_id', 'is_deactivated', 'jwks_url', 'issuer', 'audience']

export type IdentityProviders = {
  create(config: IdentityProviderConfig | undefined): Promise<IdentityProviderConfig>
  get(id: string): Promise<IdentityProviderConfig>
  list(): Promise<IdentityProviderConfig[]>
  update(config: IdentityProviderConfig, paths: readonly string[] | undefined): Promise<IdentityProviderConfig>
  delete(id: string): Promise<void>
  byIssuer(issuer: string): Promise<IdentityProviderConfig | undefined>
  /** Called when tokens of this provider, or of any, may have become invalid. */
  onChange(listener: (id: string | undefined) => void): void
  /** Another node has changed configs. */
  forgetAll(): void
  /** Grows with every change, so that caches of what a config allowed know when they are stale. */
  version(): number
}

export function createIdentityProviders(
  store: Store,
  limits: Limits,
  clock: Clock,
  caches?: Caches,
): IdentityProviders {
  const byIssuer = createCache<IdentityProviderConfig | undefined>(
    clock,
    issuersMax,
    limits.authorizationCacheMs,
    caches?.counting('identity providers'),
  )
  const listeners: ((id: string | undefined) => void)[] = []
  let version = 0
  async function change<T>(id: string, body: (records: Records) => Promise<T>): Promise<T> {
    let isRefused = false
    try {
      return await store.transaction(body)
    } catch (error) {
      isRefused = error instanceof LedgerError
      throw error
    } finally {
      byIssuer.clear()
      version += 1
      if (!isRefused) for (const listener of listeners) listener(id)
    }
  }
  return {
    create(config) {
      if (config === undefined) throw missingField('identity_provider_config')
      checkId(config.id)
      if (config.jwksUrl === '') throw missingField('jwks_url')
      checkUrl(config.jwksUrl)
      if (config.issuer === '') throw missingField('issuer')
      checkTexts(config)
      return change(config.id, async ({ identityProviders }) => {
        const operation = 'creating identity provider config'
        if ((await identityProviders.get(config.id)) !== undefined) {
          throw new LedgerError(
            'IDP_CONFIG_ALREADY_EXISTS',
            `${operation} failed, as identity provider "${config.id}" already exists`,
            { resources: [resource(config.id)] },
          )
        }
        await checkIssuerIsFree(config, operation, identityProviders)
        if ((await identityProviders.list()).length >= limits.identityProvidersMax) {
          throw new LedgerError('TOO_MANY_IDENTITY_PROVIDER_CONFIGS', `${operation} failed.`)
        }
        await identityProviders.insert(config)
        return config
      })
    },

    async get(id) {
      checkId(id)
      return (await store.identityProviders.get(id)) ?? unknown(id, 'getting identity provider config')
    },

    list: () => store.identityProviders.list(),

    update(config, paths) {
      checkId(config.id)
      if (config.jwksUrl !== '') checkUrl(config.jwksUrl)
      checkTexts(config)
      if (paths === undefined) throw missingField('update_mask')
      const selection = selectFields(paths, updatableFields, (reason) => {
        const text = `Update operation for identity provider config '${config.id}' failed due to: ${reason}`
        return new LedgerError('INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST', text, { resources: [resource(config.id)] })
      })
      return change(config.id, async ({ identityProviders }) => {
        const operation = 'updating identity provider config'
        const current = (await identityProviders.get(config.id)) ?? unknown(config.id, operation)
        const updated: IdentityProviderConfig = {
          id: current.id,
          isDeactivated: selected(selection, 'is_deactivated', config.isDeactivated, current.isDeactivated, false),
          // An empty issuer or URL means "no change", even where the mask selects it.
          issuer: selected(selection, 'issuer', config.issuer || current.issuer, current.issuer, ''),
          jwksUrl: selected(selection, 'jwks_url', config.jwksUrl || current.jwksUrl, current.jwksUrl, ''),
          audience: selected(selection, 'audience', config.audience, current.audience, ''),
        }
        await checkIssuerIsFree(updated, operation, identityProviders)
        await identityProviders.update(updated)
        return updated
      })
    },

    async delete(id) {
      checkId(id)
      await change(id, async ({ identityProviders, users, parties }) => {
        if ((await identityProviders.get(id)) === undefined) unknown(id, 'deleting identity provider config')
        const userCount = await users.count(id)
        const partyCount = await parties.count(id)
        if (userCount + partyCount > 0n) {
          const owned = `${userCount} users and ${partyCount} parties`
          throw invalidArgument(`identity provider "${id}" cannot be deleted: ${owned} still belong to it`)
        }
        await identityProviders.delete(id)
      })
    },

    byIssuer: async (issuer) => byIssuer.get(issuer, () => store.identityProviders.byIssuer(issuer)),
    onChange: (listener) => void listeners.push(listener),
    forgetAll() {
      byIssuer.clear()
      version += 1
      for (const listener of listeners) listener(undefined)
    },
    version: () => version,
  }
}

/** Called in the transaction that stores something under an identity provider. */
export async function checkIdentityProviderExists(id: string, records: Records): Promise<void> {
  if (id === defaultIdentityProvider) return
  if ((await records.identityProviders.get(id)) === undefined) {
    throw invalidArgument(`Provided identity_provider_id Id(${id}) has not been found.`)
  }
}

/** Accepts the id of an identity provider, or "" for the default one. */
export function checkIdentityProviderId(id: string, field = 'identity_provider_id'): void {
  const problem = id === defaultIdentityProvider ? undefined : ledgerStringProblem(id)
  if (problem !== undefined) throw invalidField(field, problem)
}

function checkId(id: string): void {
  if (id === '') throw missingField('identity_provider_id')
  checkIdentityProviderId(id)
}

function checkUrl(url: string): void {
  const problem = urlProblem(url)
  if (problem !== undefined) throw invalidField('jwks_url', `Malformed URL: ${problem}`)
}

/** Only what can be asked for keys; a port may still be none for a URL. */
function urlProblem(url: string): string | undefined {
  const problem = javaUriProblem(shorten(url, textBytesMax))
  if (problem !== undefined) return problem
  const protocol = url.slice(0, url.indexOf(':')).toLowerCase()
  if (!['http', 'https'].includes(protocol)) return `unknown protocol: ${protocol}`
  return URL.canParse(url) ? undefined : `no URL: ${shorten(url)}`
}

function checkTexts({ jwksUrl, issuer, audience }: IdentityProviderConfig): void {
  for (const [field, text] of Object.entries({ jwks_url: jwksUrl, issuer, audience })) {
    if (!isStorable(text)) throw invalidField(field, 'it holds a character that cannot be stored')
    if (Buffer.byteLength(text) > textBytesMax) throw invalidField(field, `it is longer than ${textBytesMax} bytes`)
  }
}

async function checkIssuerIsFree(
  { id, issuer }: IdentityProviderConfig,
  operation: string,
  configs: Records['identityProviders'],
): Promise<void> {
  const other = await configs.byIssuer(issuer)
  if (other === undefined || other.id === id) return
  throw new LedgerError(
    'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
    `${operation} failed, as identity provider with issuer "${issuer}" already exists`,
    { resources: [resource(issuer)] },
  )
}

function unknown(id: string, operation: string): never {
  throw new LedgerError('IDP_CONFIG_NOT_FOUND', `${operation} failed for unknown identity provider id="${id}"`, {
    resources: [resource(id)],
  })
}

function resource(name: string): Resource {
  return ['IDENTITY_PROVIDER_CONFIG', name]
}
