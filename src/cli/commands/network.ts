// tallystick network: runs several participants in one process until a signal stops them.

import { namesParticipants } from '../../node/maintenance.ts'
import { type Command, UsageError } from '../command.ts'
import { type Flags, loadSettings } from '../config.ts'
import { type OidcFlags, oidcOptions, settingOptions } from '../options.ts'
import { serveAlone } from './start.ts'

export const networkCommand: Command = {
  summary: 'run several participants on shared synchronizers',
  usage: 'tallystick network [NAME[@SYNCHRONIZER,…]…] [options]',
  options: { ...settingOptions, ...oidcOptions },
  furtherOperands: 'NAME',
  notes: `Each participant has its own ports: those of --port and --grpc-port for the first, and 1000 more for each further one.
Without names, the participants are those of the setting network.participants or of the world file, or participant1 and
participant2. A name
may be followed by the synchronizers that the participant is connected to: bank@global. By default it is connected to all.
Other commands talk to the first participant, or to the one that --participant names.`,
  async run(flags: Flags & OidcFlags, surroundings, names) {
    const settings = loadSettings(flags, surroundings.environment)
    const named = names.length > 0 ? names.map(participantFrom) : settings.network.participants
    const isKnown = named.length > 0 || (await namesParticipants(settings))
    const participants = isKnown ? named : [{ name: 'participant1' }, { name: 'participant2' }]
    await serveAlone({ ...settings, network: { ...settings.network, participants } }, flags, surroundings)
  },
}

const nameAndPlaces = /^([A-Za-z0-9\-_]{1,100})(?:@([A-Za-z0-9\-_]+(?:,[A-Za-z0-9\-_]+)*))?$/

function participantFrom(text: string) {
  const [, name, places] = nameAndPlaces.exec(text) ?? []
  if (name === undefined) throw new UsageError(`${text} is not NAME or NAME@SYNCHRONIZER,…`)
  return places === undefined ? { name } : { name, synchronizers: places.split(',') }
}
