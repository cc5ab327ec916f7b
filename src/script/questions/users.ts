// Users of participants and their rights.
import { userIdProblem } from '../../base/names.ts'
import { type LfValue, unit } from '../../lf/values/values.ts'
import { Unanswered } from '../failures.ts'
import { type Json, pagesOf, Refused } from '../participants.ts'
import type { ScriptValues } from '../script-values.ts'
import { fieldsIn, listIn, optionalIn, textIn, variantIn, wrappedTextIn } from '../shapes.ts'
import type { AnswerQuestion, Asking, Questions } from './question.ts'

const grpcCodes = { notFound: 5, alreadyExists: 6 }

const validateUserId: AnswerQuestion = async (payload, { values }) => {
  const [name] = fieldsIn(payload, 1, 'ValidateUserId')
  return values.optional(userIdProblem(textIn(name)))
}

const createUser: AnswerQuestion = async (payload, asking) => {
  const [user, rights, participant] = fieldsIn(payload, 3, 'CreateUser')
  const [id, primaryParty] = fieldsIn(user, 2, 'a User')
  const body = {
    user: {
      id: userIdIn(id),
      primaryParty: optionalIn(primaryParty, textIn) ?? '',
      isDeactivated: false,
      identityProviderId: '',
    },
    rights: listIn(rights, rightIn),
  }
  const made = await unless(grpcCodes.alreadyExists, () => at(participant, asking).call('POST', '/v2/users', body))
  return asking.values.optional(made && unit)
}

const getUser: AnswerQuestion = async (payload, asking) => {
  const [id, participant] = fieldsIn(payload, 2, 'GetUser')
  const place = at(participant, asking)
  const found = await unless(grpcCodes.notFound, () => place.call('GET', pathOf(id)))
  if (found?.user.primaryParty) asking.participants.remember(found.user.primaryParty, place.name)
  return asking.values.optional(found && userOf(found.user, asking.values))
}

const deleteUser: AnswerQuestion = async (payload, asking) => {
  const [id, participant] = fieldsIn(payload, 2, 'DeleteUser')
  const deleted = await unless(grpcCodes.notFound, () => at(participant, asking).call('DELETE', pathOf(id)))
  return asking.values.optional(deleted && unit)
}

const listAllUsers: AnswerQuestion = async (payload, asking) => {
  const [participant] = fieldsIn(payload, 1, 'ListAllUsers')
  const users: LfValue[] = []
  for await (const page of pagesOf(at(participant, asking), '/v2/users')) {
    users.push(...page.users.map((user: Json) => userOf(user, asking.values)))
  }
  return asking.values.list(users)
}

const changingRights =
  (method: 'POST' | 'PATCH', changed: string): AnswerQuestion =>
  async (payload, asking) => {
    const [id, rights, participant] = fieldsIn(payload, 3, 'rights of a user')
    const body = { userId: userIdIn(id), rights: listIn(rights, rightIn), identityProviderId: '' }
    const place = at(participant, asking)
    const answer = await unless(grpcCodes.notFound, () => place.call(method, `${pathOf(id)}/rights`, body))
    return asking.values.optional(answer && rightsOf(answer[changed], asking.values))
  }

const listUserRights: AnswerQuestion = async (payload, asking) => {
  const [id, participant] = fieldsIn(payload, 2, 'ListUserRights')
  const answer = await unless(grpcCodes.notFound, () => at(participant, asking).call('GET', `${pathOf(id)}/rights`))
  return asking.values.optional(answer && rightsOf(answer.rights, asking.values))
}

function at(participant: LfValue, { participants }: Asking) {
  return participants.named(optionalIn(participant, textIn))
}

/** Undefined if the participant refuses with this code. */
async function unless(grpcCode: number, call: () => Promise<Json>): Promise<Json> {
  try {
    return (await call()) ?? {}
  } catch (error) {
    if (error instanceof Refused && error.error.grpcCode === grpcCode) return undefined
    throw error
  }
}

function userIdIn(value: LfValue): string {
  const id = wrappedTextIn(value)
  const problem = userIdProblem(id)
  if (problem !== undefined) throw new Unanswered(problem, 'ConverterException')
  return id
}

const pathOf = (id: LfValue): string => `/v2/users/${encodeURIComponent(userIdIn(id))}`

function userOf({ id, primaryParty }: Json, values: ScriptValues): LfValue {
  const module = 'Questions.UserManagement'
  const userId = values.positional(values.ofLibrary(module, 'UserId'), id)
  const party = values.optional(primaryParty || undefined)
  return values.positional(values.ofLibrary(module, 'User'), userId, party)
}

/** Rights that name a party. */
const rightsOfParties: ReadonlySet<string> = new Set(['CanActAs', 'CanReadAs', 'CanExecuteAs'])

function rightIn(value: LfValue): object {
  const { tag, value: party } = variantIn(value)
  return { kind: { [tag]: { value: rightsOfParties.has(tag) ? { party: textIn(party) } : {} } } }
}

function rightsOf(rights: Json[] | undefined, values: ScriptValues): LfValue {
  const type = values.ofLibrary('Questions.UserManagement', 'UserRight')
  const one = ({ kind }: Json) => {
    const [[tag, content] = ['', {}]] = Object.entries<Json>(kind)
    if (!values.hasConstructor(type, tag)) throw new Unanswered(`${tag} user right has not been supported yet`)
    return values.variantOf(type, tag, rightsOfParties.has(tag) ? content.value.party : unit)
  }
  return values.list((rights ?? []).map(one))
}

export const userQuestions: Questions = [
  ['ValidateUserId 1', validateUserId],
  ['CreateUser 1', createUser],
  ['GetUser 1', getUser],
  ['DeleteUser 1', deleteUser],
  ['ListAllUsers 1', listAllUsers],
  ['GrantUserRights 1', changingRights('POST', 'newlyGrantedRights')],
  ['RevokeUserRights 1', changingRights('PATCH', 'newlyRevokedRights')],
  ['ListUserRights 1', listUserRights],
]
