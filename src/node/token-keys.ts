// The keys with which a node checks tokens, and the secret with which it signs its own.
import { localSecretFor, verifiersFor } from '../auth/configured-keys.ts'
import { createKeySets, type KeySets } from '../auth/jwks.ts'
import { createVerifier, type Verifier } from '../auth/key-sources.ts'
import { createLocalSecret, createTokenSigner, signSessionToken } from '../auth/local-tokens.ts'
import { createSignedOut, type SignedOut } from '../auth/signed-out.ts'
import { type Random, systemRandom } from '../base/random.ts'
import type { Settings } from '../base/settings.ts'
import type { Instruments } from './instruments.ts'

export type TokenKeys = {
  readonly keySets: KeySets
  readonly verifiers: readonly Verifier[]
  /** Undefined unless this is a development node that requires tokens. */
  readonly localSecret: string | undefined
  readonly signUserToken: (userId: string, participantId: string, lifetimeMs: number) => Promise<string>
  readonly signSessionToken: (sessionId: string) => Promise<string>
  readonly signedOut: SignedOut
}

/** `random` draws the local secret. It should not be the one of a seed, which others may know. */
export function createTokenKeys(
  settings: Settings,
  { clock, log }: Pick<Instruments, 'clock' | 'log'>,
  random: Random,
): TokenKeys {
  const { limits, lenient } = settings
  const keySets = createKeySets({ limits, clock, log, isLenient: lenient })
  const localSecret = localSecretFor(settings, random)
  // Without authentication nobody checks tokens, but applications may want to send one.
  const signingSecret = localSecret ?? createLocalSecret(systemRandom)
  return {
    keySets,
    verifiers: verifiersFor(settings, localSecret, (source, name) =>
      createVerifier(source, name, { keySets, limits, clock }),
    ),
    localSecret,
    signUserToken: createTokenSigner(signingSecret, clock),
    signSessionToken: (sessionId) => signSessionToken(signingSecret, sessionId, clock.nowMs()),
    signedOut: createSignedOut(clock),
  }
}
