// The keys that the settings name: those of `auth.keys`, and on a development node its own secret.
import { resolve } from 'node:path'
import { StartError } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { isDevelopment, type KeySource, type Settings } from '../base/settings.ts'
import type { Verifier } from './key-sources.ts'
import { commandLineScope, createLocalSecret, loadLocalSecret } from './local-tokens.ts'

export function localSecretFor(settings: Settings, random: Random): string | undefined {
  if (settings.auth.mode === 'off' || !isDevelopment(settings)) return undefined
  return settings.store.kind === 'memory'
    ? createLocalSecret(random)
    : loadLocalSecret(resolve(settings.store.data), random)
}

export function verifiersFor(
  { auth }: Settings,
  localSecret: string | undefined,
  create: (source: KeySource, name: string) => Verifier,
): Verifier[] {
  const configured = auth.keys.map((source, index) => create(source, `auth.keys[${index}] (${source.type})`))
  if (localSecret === undefined) {
    if (auth.mode === 'jwt' && configured.length === 0) {
      throw new StartError(
        'there is no key to verify tokens: set auth.keys, or set development to true for a local secret',
      )
    }
    return configured
  }
  const source = { type: 'hs256', secret: localSecret, tokenLifetimeMaxMs: 'unlimited' } as const
  const local = create(source, 'the local development secret')
  return [{ ...local, acceptance: { ...local.acceptance, wildcardScope: commandLineScope } }, ...configured]
}

export function describeTokenCheck({ auth }: Settings, verifiers: readonly Verifier[]): string {
  if (auth.mode === 'off') {
    const user = auth.userId === undefined ? '' : ` as the user ${auth.userId}`
    return `off: no token is required, everyone may do everything${user}`
  }
  const sources = [...verifiers.map(({ name }) => name), 'stored identity providers (/v2/idps)'].join(', ')
  return auth.authorization ? `JWT, by ${sources}` : `JWT, by ${sources}; rights are not checked`
}
