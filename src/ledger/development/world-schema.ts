// The form of a world file, as a JSON schema: it validates the file, and editors read it (docs/world-schema.json).
// `expects` says in words what a pattern means.
import { type Static, type TSchema, Type } from 'typebox'
import { userIdPattern } from '../../base/names.ts'
import { partyRights, plainRights } from '../../base/rights.ts'
import { text } from '../../base/setting-kinds.ts'
import { participantSetting, synchronizerSetting } from '../../base/settings.ts'

const namePattern = '[A-Za-z_][A-Za-z0-9_-]*'

/** The name in `$name`. */
export const referencePattern = new RegExp(`^\\$(${namePattern})$`)

const worded = (pattern: string, expects: string, description: string) =>
  Type.String({ pattern, expects, description: `${description}: ${expects}` })

const party = (description: string) => worded('^(\\$.+|.+::.+)$', '$alias, or the id of a party', description)
const parties = (description: string, minItems = 0) =>
  Type.Array(party('A party'), { description, ...(minItems > 0 && { minItems }) })
const closed = { additionalProperties: false }

/** A map from names that the pattern allows. */
const named = <Member extends TSchema>(pattern: string, expects: string, member: Member, description: string) =>
  Type.Record(Type.String({ pattern: `^${pattern}$` }), member, { ...closed, expects, description })

const annotations = Type.Optional(
  Type.Record(Type.String(), Type.String(), { description: 'Annotations of its metadata' }),
)
const identityProvider = Type.Optional(
  text('The identity provider that it belongs to; one of this file. The default one if absent'),
)
const synchronizerAlias = text('The alias of a synchronizer')

const { priority, ...otherFields } = synchronizerSetting.properties
const synchronizer = Type.Object(
  { ...otherFields, priority: Type.Optional(priority) },
  { ...closed, description: 'A synchronizer' },
)

const identityProviderEntry = Type.Object(
  {
    issuer: text('The iss of its tokens'),
    jwksUrl: text('Where its keys are'),
    audience: Type.Optional(text('The aud that its tokens must have')),
    isDeactivated: Type.Optional(Type.Boolean({ description: 'Whether its tokens are refused' })),
  },
  { ...closed, description: 'An identity provider' },
)

const partyEntry = Type.Object(
  {
    hint: Type.Optional(text('The first part of its id; the alias if absent')),
    identityProvider,
    synchronizers: Type.Optional(
      Type.Array(synchronizerAlias, { minItems: 1, description: 'Where it is hosted; everywhere if absent' }),
    ),
    annotations,
  },
  { ...closed, description: 'A party of this participant' },
)

const userEntry = Type.Object(
  {
    primaryParty: Type.Optional(party('Its primary party')),
    actAs: Type.Optional(parties('Parties that it may act as')),
    readAs: Type.Optional(parties('Parties that it may read as')),
    executeAs: Type.Optional(parties('Parties that it may execute prepared submissions as')),
    rights: Type.Optional(Type.Array(Type.Enum([...plainRights]), { description: 'Rights that name no party' })),
    identityProvider,
    isDeactivated: Type.Optional(Type.Boolean({ description: 'Whether its requests are refused' })),
    primaryPartyAuthentication: Type.Optional(
      Type.Boolean({ description: 'Whether it authenticates as its primary party' }),
    ),
    annotations,
  },
  { ...closed, description: 'A user. One that exists gets the rights that it lacks, and is left as it is otherwise' },
)

const templateId = text('The template: #package-name:Module:Template, or with the package id')
const value = (description: string) =>
  Type.Unknown({
    description: `${description}, as in the API. A text $name stands for a party or a contract; $$ begins a text with a $`,
  })
const choice = { choice: text('The choice'), choiceArgument: Type.Optional(value('Its argument')) }

const command = Type.Object(
  {
    CreateCommand: Type.Optional(
      Type.Object({ templateId, createArguments: value('The arguments of the contract') }, closed),
    ),
    ExerciseCommand: Type.Optional(
      Type.Object({ templateId, contractId: text('The contract: $label, or the id of a contract'), ...choice }, closed),
    ),
    ExerciseByKeyCommand: Type.Optional(
      Type.Object({ templateId, contractKey: value('The key of the contract'), ...choice }, closed),
    ),
    CreateAndExerciseCommand: Type.Optional(
      Type.Object({ templateId, createArguments: value('The arguments of the contract'), ...choice }, closed),
    ),
    labels: Type.Optional(
      Type.Array(worded(`^${namePattern}$`, 'letters, digits, dashes and underscores', 'A label'), {
        minItems: 1,
        description: 'Names for the contracts that it creates, in the order of their creation',
      }),
    ),
  },
  { ...closed, description: 'One command, as in the API, and labels for what it creates' },
)

const submission = Type.Object(
  {
    actAs: parties('The parties to act as', 1),
    readAs: Type.Optional(parties('Further parties whose contracts may be read')),
    participant: Type.Optional(
      text('The participant of a network that submits; the one of the first party to act as if absent'),
    ),
    userId: Type.Optional(text('The user; participant_admin if absent')),
    workflowId: Type.Optional(text('The id of the workflow')),
    synchronizer: Type.Optional(synchronizerAlias),
    commands: Type.Array(command, { minItems: 1, description: 'Executed atomically' }),
  },
  { ...closed, description: 'Commands of one transaction' },
)

/** What one participant begins with. */
const ofParticipant = {
  identityProviders: Type.Optional(named('.{1,255}', 'an id', identityProviderEntry, 'Identity providers by id')),
  parties: Type.Optional(named(namePattern, 'letters, digits, dashes and underscores', partyEntry, 'Parties by alias')),
  users: Type.Optional(named(userIdPattern, 'a user id', userEntry, 'Users by id')),
}

const dars = (description: string) =>
  Type.Optional(Type.Array(text('Path of a DAR file, relative to the world file'), { description }))

const { name: _, ...places } = participantSetting.properties
const participantEntry = Type.Object(
  {
    name: worded('^[A-Za-z0-9_-]{1,100}$', 'up to 100 letters, digits, dashes and underscores', 'Its name'),
    ...places,
    dars: dars('Packages to upload to this participant alone'),
    ...ofParticipant,
  },
  { ...closed, description: 'A participant, as in the setting, and what it begins with' },
)

export const worldSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'This schema, for editors' })),
    dars: dars('Packages to upload, in a network to every participant'),
    synchronizers: Type.Optional(
      Type.Array(synchronizer, { minItems: 1, description: 'As the setting of the same name, in its place' }),
    ),
    network: Type.Optional(
      Type.Object(
        {
          participants: Type.Array(participantEntry, {
            minItems: 1,
            description:
              'As the setting network.participants, in its place; or what those of the settings begin with. What is outside ' +
              'network is of the first one',
          }),
        },
        { ...closed, description: 'Several participants' },
      ),
    ),
    ...ofParticipant,
    submissions: Type.Optional(
      Type.Array(submission, { description: 'Run one after the other, each once in the life of a ledger' }),
    ),
    'init-script': Type.Optional(
      worded('^[^:]+:[^:]+$', 'Module:name', 'A Daml Script of an uploaded package, run last if the ledger is new'),
    ),
  },
  { ...closed, title: 'World of a Tallystick development node' },
)

export type WorldContent = Static<typeof worldSchema>
export type WorldParticipant = Static<typeof participantEntry>
export type WorldUser = Static<typeof userEntry>
export type WorldSubmission = Static<typeof submission>
export type WorldCommand = Static<typeof command>

export const commandKinds = [
  'CreateCommand',
  'ExerciseCommand',
  'ExerciseByKeyCommand',
  'CreateAndExerciseCommand',
] as const

/** The fields of a user that hold parties, and the rights that they stand for. */
export const partyFields = { actAs: partyRights[0], readAs: partyRights[1], executeAs: partyRights[2] } as const
