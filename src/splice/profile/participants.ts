// The three participants of LocalNet: their names, parties, users and ports. Facts of cluster/compose/localnet in Splice.

export type ParticipantName = 'app-user' | 'app-provider' | 'sv'

export type ParticipantProfile = {
  readonly name: ParticipantName
  /** First part of the participant id. Scripts strip `participant::` to get the namespace. */
  readonly idName: string
  /** The UI port; all other ports are so much more. */
  readonly firstPort: number
  /** Hint of the party that its validator acts as; `*` stands for the hint of the network's operator. */
  readonly partyHint: string
  /** Whose wallet the validator installs from the start. */
  readonly walletUser: string
}

export const participantProfiles: readonly ParticipantProfile[] = [
  { name: 'app-user', idName: 'participant', firstPort: 2000, partyHint: 'app_user_*', walletUser: 'app-user' },
  {
    name: 'app-provider',
    idName: 'participant',
    firstPort: 3000,
    partyHint: 'app_provider_*',
    walletUser: 'app-provider',
  },
  { name: 'sv', idName: 'sv', firstPort: 4000, partyHint: 'sv', walletUser: 'sv' },
]

export const partyHintDefault = 'localnet-localparty-1'

/** `company-role-number`, as quickstart requires it. */
export const partyHintPattern = /^[A-Za-z0-9_]+-[A-Za-z0-9_]+-\d+$/

export const dsoPartyHint = 'DSO'

/** The user of validators and applications: administers each participant. */
export const operatorUser = 'ledger-api-user'

export type LocalPorts = {
  /** Virtual hosts. */
  readonly ui: number
  readonly httpHealth: number
  readonly grpc: number
  readonly admin: number
  readonly validator: number
  readonly grpcHealth: number
  readonly json: number
}

export function portsOf({ firstPort }: ParticipantProfile, offset: number): LocalPorts {
  const port = (suffix: number) => firstPort + suffix + offset
  return {
    ui: port(0),
    httpHealth: port(900),
    grpc: port(901),
    admin: port(902),
    validator: port(903),
    grpcHealth: port(961),
    json: port(975),
  }
}

/** Beside those of the participants. */
export const scanPort = 5012
export const svPort = 5014

/** The highest port of all, without an offset. */
export const lastPort = svPort
