// Why a ledger cannot be reached: it is away, which passes, or one side does not trust the certificate of the other, which does not.
import { StartError } from '../base/errors.ts'

/** The ledger does not answer, or the connection to it broke: it is waited for. */
export class LedgerAway extends Error {}

/** What OpenSSL and Node say about a certificate that is not trusted, has ended or is of another host. */
const distrust = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_ALTNAME)/
/** What the other side says about ours, or about its absence. */
const distrusted = /ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED)$/

export function unreachable(place: string, error: unknown): Error {
  const { code = '', message } = reasonOf(error)
  if (distrust.test(code)) {
    const advice = 'name the file of its authority in NODE_EXTRA_CA_CERTS, or for a query store with --ca-file'
    return new StartError(`the certificate of ${place} is not trusted: ${message}; ${advice}`)
  }
  if (distrusted.test(code)) {
    return new StartError(`${place} does not accept the certificate of this client, or wants one: ${message}`)
  }
  return new LedgerAway(`cannot reach ${place}: ${message}`)
}

type Reason = { readonly code?: string; readonly message: string }

/** For a name with several addresses, the reason for the first. */
export function reasonOf(error: unknown): Reason {
  const { cause = error } = error as { cause?: unknown }
  const [first = cause] = (cause as { errors?: unknown[] }).errors ?? []
  const { code, message } = first as Partial<Reason>
  return { ...(code !== undefined && { code }), message: wordsOf(message || String(first)) }
}

/** Of OpenSSL's messages, what people understand. */
function wordsOf(message: string): string {
  return /^[0-9A-F]+:error:[^:]*:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1] ?? message
}
