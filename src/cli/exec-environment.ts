// What a command that runs beside a node is told about it: its URL, tokens, and the parties of its world file.
import { StartError } from '../base/errors.ts'
import { signCommandLineToken } from '../node/maintenance.ts'
import type { Node } from '../node/node.ts'
import { createNodeClient } from './node-client.ts'
import { isNameVariable, partyPrefix, tokenPrefix, tokenVariable, urlPrefix, urlVariable } from './node-variables.ts'
import { postJson } from './running-node.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The node ends with the command. */
const lifetimeMs = Number.POSITIVE_INFINITY

/** The environment, without what it says of another node. Creates users for parties that no user is named after. */
export async function environmentFor(node: Node, environment: Environment): Promise<Environment> {
  const { parties, users } = node.worldNames ?? { parties: [], users: [] }
  const withoutUser = parties.filter(({ alias, participant }) => {
    return !users.some((user) => user.id === alias && user.participant === participant)
  })
  const partyVariables = variablesFor(
    partyPrefix,
    parties.map(({ alias }) => alias),
  )
  const userNames = users.map((user) => nameOf(user, users))
  const tokenVariables = variablesFor(tokenPrefix, [...userNames, ...withoutUser.map(({ alias }) => alias)])
  const inherited = Object.entries(environment).filter(([name]) => !isNameVariable(name) && name !== tokenVariable)
  const described: Record<string, string | undefined> = { ...Object.fromEntries(inherited), [urlVariable]: node.url }
  for (const { alias, id } of parties) described[partyVariables.get(alias)!] = id
  if (node.participants.length > 1) {
    const urlVariables = variablesFor(
      urlPrefix,
      node.participants.map(({ name }) => name),
    )
    for (const { name, url } of node.participants) described[urlVariables.get(name)!] = url
  }
  const { issueToken, localSecret } = node
  if (issueToken === undefined || localSecret === undefined) return described // It requires no tokens.
  const token = await signCommandLineToken(localSecret, lifetimeMs)
  described[tokenVariable] = token
  const placeOf = new Map(node.participants.map((one) => [one.name, one]))
  for (const [index, { id, participant }] of users.entries()) {
    const { participantId } = placeOf.get(participant)!
    described[tokenVariables.get(userNames[index]!)!] = await issueToken(id, lifetimeMs, participantId)
  }
  for (const { alias, id, participant } of withoutUser) {
    const client = createNodeClient(placeOf.get(participant)!.url, token)
    const order = { parties: [id], lifetime: 'unlimited' }
    described[tokenVariables.get(alias)!] = (await postJson<{ token: string }>(client, '/dev/tokens', order)).token
  }
  return described
}

type User = { readonly id: string; readonly participant: string }

/** A user that several participants have is called by both names. */
function nameOf({ id, participant }: User, users: readonly User[]): string {
  const isAmbiguous = users.some((other) => other.id === id && other.participant !== participant)
  return isAmbiguous ? `${participant}_${id}` : id
}

/** By name. */
function variablesFor(prefix: string, names: readonly string[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>()
  const taken = new Map<string, string>()
  for (const name of names) {
    const variable = `${prefix}${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
    const other = taken.get(variable)
    if (other !== undefined) {
      throw new StartError(`${other} and ${name} would both be ${variable}; rename one of them`)
    }
    taken.set(variable, name)
    variables.set(name, variable)
  }
  return variables
}
