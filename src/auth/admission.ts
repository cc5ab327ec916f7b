// Whether a caller may run an operation. A right that is missing here may just have been granted on another node, so a
// refusal is final only when the node has looked.
import { LedgerError } from '../base/errors.ts'
import type { SecondLook } from '../base/second-look.ts'
import type { Authentication, Authenticator } from './authentication.ts'
import { authorize, type Permission, type Requirement, type Subject } from './authorization.ts'

export type Arrived = {
  readonly token: string | undefined
  readonly authentication: Authentication
}

export type Admitted = { readonly authentication: Authentication; readonly permission: Permission }

/** Throws unless the caller has what is required. */
export type Admit = (requirement: Requirement, caller: Arrived, subject: Subject) => Admitted | Promise<Admitted>

type Parts = {
  readonly authenticate: Authenticator
  readonly participantId: string
  /** Undefined if no other node can change rights. */
  readonly secondLook?: SecondLook | undefined
}

export function createAdmission({ authenticate, participantId, secondLook }: Parts): Admit {
  return (requirement, { token, authentication }, subject) => {
    const admitted = (found: Authentication): Admitted => ({
      authentication: found,
      permission: authorize(requirement, found, subject, participantId),
    })
    try {
      return admitted(authentication)
    } catch (error) {
      // A bad token was looked at twice already.
      if (secondLook === undefined || !isDenied(error)) throw error
      return secondLook.look().then(async () => admitted(await authenticate(token)))
    }
  }
}

/** Authenticates again, after a look, what is refused: the user or its identity provider may be new. */
export function authenticatingTwice(authenticate: Authenticator, secondLook: SecondLook | undefined): Authenticator {
  if (secondLook === undefined) return authenticate
  return async (token) => {
    if (token === undefined) return authenticate(token)
    const before = secondLook.changes()
    const first = await attempt(authenticate, token)
    if ('accepted' in first) return first.accepted
    await secondLook.look()
    return secondLook.changes() === before ? first.refused() : authenticate(token)
  }
}

type Attempt = { readonly accepted: Authentication } | { readonly refused: () => Authentication }

async function attempt(authenticate: Authenticator, token: string): Promise<Attempt> {
  try {
    const found = await authenticate(token)
    return 'unauthenticated' in found ? { refused: () => found } : { accepted: found }
  } catch (error) {
    if (!isDenied(error)) throw error
    return {
      refused() {
        throw error
      },
    }
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof LedgerError && error.code === 'PERMISSION_DENIED'
}
