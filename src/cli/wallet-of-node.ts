// The wallet that a command talks to: which user's, at which validator, and the token for it. Validators are those of
// `tallystick localnet`, or of LocalNet itself.
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { UsageError } from './command.ts'
import { nodeAt } from './local-node.ts'
import { createNodeClient, type NodeClient, NotReachedError } from './node-client.ts'
import type { OptionTable } from './options.ts'
import { type RunningNodeFlags, runningNodeOptions } from './running-node.ts'

export const walletOptions = {
  user: { type: 'string', value: 'NAME', help: "whose wallet it is (the one of the participant's own user)" },
  wallet: {
    type: 'string',
    value: 'URL',
    help: "where the validator's API is; else on LocalNet's port for it, beside the JSON Ledger API",
  },
  ...runningNodeOptions,
  token: { ...runningNodeOptions.token, help: "a token of the wallet's user; else LocalNet's, which anybody can sign" },
} as const satisfies OptionTable

export type WalletFlags = RunningNodeFlags & { readonly user?: string; readonly wallet?: string }

export type Wallet = {
  readonly user: string
  /** The participant, as its operator. */
  readonly node: NodeClient
  /** The answer; the path follows /api/validator/v0/. Throws what the validator refuses, in its words. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<any>
}

export async function walletOf(
  flags: WalletFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Wallet> {
  const { operatorUser, participantProfiles, portsOf } = await import('../splice/profile/participants.ts')
  const { tokenOf } = await import('../splice/profile/tokens.ts')
  const nowMs = wallClock.nowMs()
  const { user: wished, wallet: place, json: _, ...nodeFlags } = flags
  if (place !== undefined && !/^https?:$/.test(URL.parse(place)?.protocol ?? '')) {
    throw new UsageError(`--wallet: ${place} is not a URL`)
  }
  const { url } = await nodeAt(nodeFlags, environment)
  const node = createNodeClient(url, flags.token ?? (await tokenOf(operatorUser, nowMs)))

  /** Each participant has a user with a wallet from the start; the party of its operator tells which participant it is. */
  async function ownUser(): Promise<string> {
    const { status, text } = await node.exchange('GET', `/v2/users/${operatorUser}`, undefined)
    const party: string = status === 200 ? JSON.parse(text).user.primaryParty : ''
    const profile = participantProfiles.find(({ partyHint }) => party.startsWith(partyHint.replace('*', '')))
    if (profile !== undefined) return profile.walletUser
    throw new StartError(
      `${url} is no participant of a LocalNet, as tallystick localnet starts it; --user names a wallet`,
    )
  }

  const user = wished ?? (await ownUser())
  const { json, validator } = portsOf(participantProfiles[0]!, 0)
  const client = createNodeClient(place ?? besideOf(url, validator - json), flags.token ?? (await tokenOf(user, nowMs)))
  return {
    user,
    node,
    async ask(method, path, body) {
      const { status, text } = await client
        .exchange(method, `/api/validator/v0/${path}`, body === undefined ? undefined : JSON.stringify(body))
        .catch((error) => {
          if (!(error instanceof NotReachedError)) throw error
          throw new NotReachedError(
            `${error.message} Wallets are served by tallystick localnet, or where --wallet says`,
          )
        })
      if (status >= 200 && status < 300) return text === '' ? undefined : JSON.parse(text)
      throw new StartError(`the wallet refused: ${refusalIn(text)}${adviceFor(status)}`)
    },
  }
}

function besideOf(url: string, distance: number): string {
  const beside = new URL(url)
  beside.port = String(Number(beside.port) + distance)
  return beside.origin
}

/** Splice's bodies have the field `error`; what comes from before its routes is plain text. */
function refusalIn(text: string): string {
  try {
    const { error } = JSON.parse(text)
    return typeof error === 'string' ? error : text
  } catch {
    return text
  }
}

function adviceFor(status: number): string {
  return status === 401 ? '; it does not accept the token' : ''
}

const amountPattern = /^\d{1,28}(\.\d{1,10})?$/

/** As Daml's decimals. */
export function amountFrom(text: string): string {
  if (amountPattern.test(text) && /[1-9]/.test(text)) return text
  throw new UsageError(
    `${text} is not an amount: a positive number such as 12.5, with at most 10 digits after the point`,
  )
}

/** Without the zeros that decimals are filled with. */
export function shownAmount(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}
