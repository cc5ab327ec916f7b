// The environment variables that say which node a command talks to. `tallystick exec` sets them for the command that it
// runs; people may set the first two themselves. Flags win over them, and they win over the data folder.

type Environment = Readonly<Record<string, string | undefined>>

export const urlVariable = 'TALLYSTICK_URL'
export const tokenVariable = 'TALLYSTICK_TOKEN'
/** Followed by the name of a party or a user. */
export const partyPrefix = 'TALLYSTICK_PARTY_'
export const tokenPrefix = 'TALLYSTICK_TOKEN_'
/** Followed by the name of a participant of a network. */
export const urlPrefix = 'TALLYSTICK_URL_'

/** Whether a variable belongs to a party, a user or a participant. */
export function isNameVariable(name: string): boolean {
  return [partyPrefix, tokenPrefix, urlPrefix].some((prefix) => name.startsWith(prefix))
}

type Choice = {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly data?: string | undefined
  readonly config?: string | undefined
}

/** The flags, with URL and token from the environment where they leave them open. */
export function withNodeVariables<T extends Choice>(flags: T, environment: Environment): T {
  const url = flags.url ?? (namesFolder(flags) ? undefined : environment[urlVariable] || undefined)
  const token = flags.token ?? (namesFolder(flags) ? undefined : tokenFor(url, environment))
  return { ...flags, ...(url !== undefined && { url }), ...(token !== undefined && { token }) }
}

function namesFolder({ url, data, config }: Choice): boolean {
  return url === undefined && (data !== undefined || config !== undefined)
}

/** The token of the environment is sent to no other node than the one that the environment names. */
export function tokenFor(url: string | undefined, environment: Environment): string | undefined {
  const named = environment[urlVariable] || undefined
  const isMeant = named === undefined || originOf(named) === originOf(url ?? '')
  return isMeant ? environment[tokenVariable] || undefined : undefined
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin
}
