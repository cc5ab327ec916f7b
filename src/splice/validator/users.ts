// POST and GET /api/validator/v0/admin/users, and /v0/register: users with a party and a wallet at this validator. Mirrors Splice's
// ValidatorUtil.onboard and offboard.
import { allocateParty, createUserOf, exists, letOperatorActAs } from '../founding/parties.ts'
import { installWallet } from '../founding/wallets.ts'
import { ParticipantRefusal } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { operatorUser } from '../profile/participants.ts'
import { checkFields, type Fields } from '../serving/request-fields.ts'
import { badRequest, type Route, type ValidatorContext } from '../serving/route.ts'

const userFields: Fields = {
  required: { name: 'String' },
  optional: { party_id: 'String', createPartyIfMissing: 'Boolean' },
}

export const userRoutes: readonly Route<ValidatorContext>[] = [
  {
    method: 'POST',
    path: '/api/validator/v0/admin/users',
    access: 'operator',
    async answer(context, { body }) {
      checkFields(body, userFields)
      const { name, party_id: wished, createPartyIfMissing: mayCreate } = body
      return { party_id: await onboard(context, name, wished ?? undefined, mayCreate ?? undefined) }
    },
  },
  {
    method: 'GET',
    path: '/api/validator/v0/admin/users',
    access: 'operator',
    async answer({ validator }) {
      const installs = await validator.participant.contracts(templates.walletAppInstall, [validator.party])
      return { usernames: installs.map(({ payload }) => payload.endUserName) }
    },
  },
  {
    method: 'POST',
    path: '/api/validator/v0/admin/users/offboard',
    access: 'operator',
    answer: (context, { query }) => offboard(context, query.get('username') ?? ''),
  },
  {
    method: 'POST',
    path: '/api/validator/v0/register',
    access: 'user',
    answer: async (context, { user }) => ({ party_id: await onboard(context, user!) }),
  },
]

async function onboard(
  context: ValidatorContext,
  userName: string,
  wished?: string,
  mayCreate?: boolean,
): Promise<string> {
  const { validator, network } = context
  const { participant } = validator
  const party = await partyFor(context, userName, wished, mayCreate)
  if (!(await exists(participant, `/v2/users/${encodeURIComponent(userName)}`))) {
    await createUserOf(participant, userName, party)
  }
  await letOperatorActAs(participant, party)
  await installWallet(validator, network.dso, { userName, party })
  return party
}

/** A new party is called as the user, unless the request names one. */
async function partyFor(
  { validator }: ValidatorContext,
  userName: string,
  wished: string | undefined,
  mayCreate: boolean | undefined,
): Promise<string> {
  const { participant, participantId } = validator
  if (wished !== undefined) {
    if (!(mayCreate ?? false)) return wished
    const [hint] = wished.split('::')
    return allocateParty(participant, participantId, hint!)
  }
  const known = await primaryPartyOf(validator, userName)
  if (known !== undefined) return known
  if (!(mayCreate ?? true)) {
    throw badRequest(
      `party_id must be provided when createPartyIfMissing is false and no existing party for user ${userName} is found.`,
    )
  }
  return allocateParty(participant, participantId, hintFrom(userName))
}

async function primaryPartyOf(
  { participant }: ValidatorContext['validator'],
  userName: string,
): Promise<string | undefined> {
  try {
    const { user } = await participant.call('GET', `/v2/users/${encodeURIComponent(userName)}`)
    return user.primaryParty || undefined
  } catch (error) {
    if (error instanceof ParticipantRefusal && error.status === 404) return undefined
    throw error
  }
}

/** User names may have characters that names of parties may not. */
const hintFrom = (userName: string) => userName.replaceAll(/[^A-Za-z0-9:\-_ ]/g, '_')

async function offboard({ validator }: ValidatorContext, userName: string): Promise<undefined> {
  const { participant, party, profile } = validator
  const installs = await participant.contracts(templates.walletAppInstall, [party])
  const install = installs.find(({ payload }) => payload.endUserName === userName)
  if (install === undefined) return undefined
  if (userName === operatorUser || userName === profile.walletUser) {
    throw badRequest(`Tried to offboard the validator's user: ${userName}`)
  }
  const { endUserParty } = install.payload
  const rights = await participant.contracts(templates.validatorRight, [party])
  const right = rights.find(({ payload }) => payload.user === endUserParty)
  const archived = right === undefined ? [install] : [install, right]
  await participant.submit({
    actAs: [...new Set([party, endUserParty])],
    commands: archived.map(({ templateId, contractId }) => ({
      ExerciseCommand: { templateId, contractId, choice: 'Archive', choiceArgument: {} },
    })),
  })
  await participant.call('DELETE', `/v2/users/${encodeURIComponent(userName)}`)
  return undefined
}
