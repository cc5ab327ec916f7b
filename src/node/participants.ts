// The participants of a node: one, or those of the network that the settings describe. Each gets settings of its own.
import { StartError } from '../base/errors.ts'
import { grpcPortOf, type Settings, synchronizersOf } from '../base/settings.ts'

export type ParticipantSettings = {
  /** Its place in the network: 1 for the first, which has the tables of a node alone. */
  readonly number: number
  readonly name: string
  readonly settings: Settings
  /** Whether this process listens for it. */
  readonly isServed: boolean
  /** Aliases of the synchronizers that it is connected to from its first start; undefined for all. */
  readonly synchronizers: ReadonlySet<string> | undefined
}

/** Between the ports of two participants. */
const portStep = 1000

/** At least one. Refuses what cannot be a network, before anything is opened. */
export function participantsOf(settings: Settings): readonly [ParticipantSettings, ...ParticipantSettings[]] {
  const { participants, serves } = settings.network
  const { name } = settings.participant
  const alone = { number: 1, name, settings, isServed: true, synchronizers: undefined }
  if (participants.length === 0) return [alone]
  checkKey(settings)
  const aliases = new Set(synchronizersOf(settings).map(({ alias }) => alias))
  const stranger = serves?.find((name) => !participants.some((participant) => participant.name === name))
  if (stranger !== undefined) throw new StartError(`network.serves names ${stranger}, which is no participant`)
  const members = participants.map(({ name, idName = name, ...own }, index): ParticipantSettings => {
    const { port, grpcPort, adminPort, synchronizers } = own
    checkSynchronizers(name, synchronizers, aliases)
    const { http, grpc, admin, participant } = settings
    const adminFrom = adminPort ?? (admin.port === undefined ? undefined : later(admin.port, index))
    return {
      number: index + 1,
      name,
      isServed: serves?.includes(name) ?? true,
      settings: {
        ...settings,
        http: { ...http, port: port ?? later(http.port, index) },
        grpc: { ...grpc, port: grpcPort ?? grpcPortFor(settings, index) },
        admin: adminFrom === undefined ? admin : { ...admin, port: adminFrom },
        participant: { ...participant, name: idName },
      },
      synchronizers: synchronizers && new Set(synchronizers),
    }
  })
  checkDistinct(members)
  return members as [ParticipantSettings, ...ParticipantSettings[]]
}

function grpcPortFor(settings: Settings, index: number): number | 'off' {
  const first = grpcPortOf(settings)
  return first === undefined ? 'off' : later(first.port, index)
}

/** Port 0 takes any free one. */
function later(port: number, index: number): number {
  return port === 0 ? 0 : port + index * portStep
}

function checkKey({ participant, network }: Settings): void {
  if (network.participants.length === 1 || (participant.key === undefined && participant.keyFile === undefined)) return
  const count = network.participants.length
  throw new StartError(
    `participant.key and participant.keyFile name one key, and the network has ${count} participants`,
  )
}

function checkSynchronizers(name: string, wanted: readonly string[] | undefined, defined: ReadonlySet<string>): void {
  const unknown = wanted?.find((alias) => !defined.has(alias))
  if (unknown !== undefined) {
    const known = [...defined].join(', ')
    throw new StartError(`the participant ${name} names the synchronizer ${unknown}, and the settings define ${known}`)
  }
  if (wanted?.length === 0) throw new StartError(`the participant ${name} is connected to no synchronizer`)
}

function checkDistinct(members: readonly ParticipantSettings[]): void {
  const names = new Set<string>()
  const ports = new Map<number, string>()
  for (const { name, settings } of members) {
    if (names.has(name)) throw new StartError(`two participants are called ${name}; give each its own name`)
    names.add(name)
    for (const port of [settings.http.port, settings.grpc.port, settings.admin.port]) {
      if (typeof port !== 'number' || port === 0) continue
      const other = ports.get(port)
      if (other !== undefined) {
        const whose = other === name ? `the participant ${name} has` : `the participants ${other} and ${name} have`
        throw new StartError(`${whose} the port ${port} twice; give each service its own`)
      }
      ports.set(port, name)
    }
  }
}
