// tallystick token: a token for a development node, with its user and its parties if they do not exist yet; or one for a
// user, also while the node is stopped.
import { durationFromText } from '../../base/duration.ts'
import { StartError } from '../../base/errors.ts'
import { userIdProblem } from '../../base/names.ts'
import { issueLocalToken, issueUserToken } from '../../node/maintenance.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { dataFolder, nodeOf } from '../local-node.ts'
import { withNodeVariables } from '../node-variables.ts'
import { getJson, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'

type Flags = RunningNodeFlags & {
  readonly party?: readonly string[]
  readonly 'read-as'?: readonly string[]
  readonly admin?: boolean
  readonly user?: string
  readonly ttl?: string
  readonly audience?: string
}

const usage = 'tallystick token (--party PARTY… | --read-as PARTY… | --admin | --user ID) [options]'

export const tokenCommand: Command = {
  summary: 'print an access token that a development node accepts',
  usage,
  options: {
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'act as this party, which is made if it is new' },
    'read-as': { type: 'string', multiple: true, value: 'PARTY', help: 'read what this party sees' },
    admin: { type: 'boolean', help: 'administer the participant' },
    user: { type: 'string', value: 'ID', help: 'the user of the token, such as participant_admin' },
    ttl: { type: 'string', value: 'TIME', help: 'how long the token is valid: 90s, 15m, 1h, 7d, unlimited (1h)' },
    audience: { type: 'string', value: 'AUD', help: "with --user alone: audience, instead of the participant's own" },
    ...runningNodeOptions,
  },
  notes: `With --party, --read-as or --admin the node makes a user with just these rights, or gives them to the one of --user.
With --user alone the rights are those that the user has, and the node need not be running.`,
  async run(flags: Flags, surroundings) {
    const { party = [], 'read-as': readAs = [], admin = false, user, ttl = '1h', audience, ...ownFlags } = flags
    const rest = withNodeVariables(ownFlags, surroundings.environment)
    const isOrder = party.length + readAs.length > 0 || admin
    if (!isOrder && user === undefined) throw new UsageError(`--party or --user is missing; usage: ${usage}`)
    const problem = user === undefined ? undefined : userIdProblem(user)
    if (problem !== undefined) throw new UsageError(`--user: ${problem}`)
    const lifetimeMs = lifetimeFrom(ttl)
    if (!isOrder && rest.url === undefined && rest.token === undefined) {
      const token = await tokenOfUser({ userId: user!, audience, lifetimeMs }, rest, surroundings)
      return surroundings.print(rest.json ? JSON.stringify({ token, userId: user }, null, 2) : token)
    }
    if (audience !== undefined) throw new UsageError('--audience is only for --user alone')
    const node = await runningNode(rest, surroundings.environment)
    const lifetime = lifetimeMs === Number.POSITIVE_INFINITY ? 'unlimited' : ttl
    const order = { parties: party, readAs, admin, userId: user ?? '', lifetime }
    const issued = await postJson<{ token: string }>(node, '/dev/tokens', order)
    surroundings.print(rest.json ? JSON.stringify(issued, null, 2) : issued.token)
  },
}

type UserToken = { readonly userId: string; readonly audience: string | undefined; readonly lifetimeMs: number }

async function tokenOfUser(
  request: UserToken,
  flags: RunningNodeFlags,
  { environment }: Surroundings,
): Promise<string> {
  const folder = dataFolder({ data: flags.data, config: flags.config }, environment)
  const record = await nodeOf(folder)
  if (record === undefined) return issueLocalToken({ folder, participant: flags.participant, ...request })
  if (record.secret === undefined)
    throw new StartError(`the node at ${record.url} requires no tokens (auth.mode is off)`)
  const node = await runningNode(flags, environment)
  const { participantId } = await getJson<{ participantId: string }>(node, '/v2/parties/participant-id')
  return issueUserToken({ secret: record.secret, participantId, ...request })
}

function lifetimeFrom(text: string): number {
  if (text === 'unlimited' || text === '0') return Number.POSITIVE_INFINITY
  const lifetime = durationFromText(text)
  if (lifetime === undefined) throw new UsageError(`--ttl: ${text} is not a time such as 15m or 1h, nor unlimited`)
  return lifetime
}
