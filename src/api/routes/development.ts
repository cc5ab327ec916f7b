// /dev: the tools of a development node. Other nodes do not have these paths.

import { anyDurationFromText } from '../../base/duration.ts'
import { invalidArgument, invalidField } from '../../base/errors.ts'
import type { Snapshot } from '../../ledger/development/snapshots.ts'
import type { TakeOver } from '../../ledger/packages/packages.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import { streamRoute } from '../stream-route.ts'
import { timeResponse } from '../wire/administration.ts'
import { checkActAs, commandsFromJson, submitForTransactionRequest } from '../wire/commands.ts'
import * as wire from '../wire/development.ts'
import { validateQuery } from '../wire/packages.ts'
import { nothing } from '../wire/users.ts'

const tag = 'Development'

// Snapshots wait for each other, and a restore waits for all requests under way. So none of them may count among these.

export const developmentRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/snapshots',
    tag,
    summary: 'Keep the whole ledger as it is now, to return to it later',
    body: wire.takeSnapshotRequest,
    response: wire.snapshotResponse,
    async call({ development }, { body: { name } }, _permission, { aside }) {
      return answered(await aside(() => development!.snapshots.take(name)))
    },
  }),

  route({
    method: 'GET',
    path: '/dev/snapshots',
    tag,
    summary: 'List the snapshots',
    response: wire.listSnapshotsResponse,
    async call({ development }, _input, _permission, { aside }) {
      const snapshots = await aside(() => development!.snapshots.list())
      return new RenderedJson(`{"snapshots":[${snapshots.map(shown).join(',')}]}`)
    },
  }),

  route({
    method: 'DELETE',
    path: '/dev/snapshots/{name}',
    tag,
    summary: 'Delete a snapshot',
    response: nothing,
    async call({ development }, { params }, _permission, { aside }) {
      await aside(() => development!.snapshots.delete(params.name!))
      return {}
    },
  }),

  route({
    method: 'POST',
    path: '/dev/snapshots/{name}/restore',
    tag,
    summary: 'Return to a snapshot; open streams end',
    response: nothing,
    async call({ development }, { params }, _permission, { aside }) {
      await aside(() => development!.snapshots.restore(params.name!))
      return {}
    },
  }),

  route({
    method: 'POST',
    path: '/dev/reset',
    tag,
    summary: 'Return to the state after the first start; open streams end',
    response: nothing,
    async call({ development }, _input, _permission, { aside }) {
      await aside(() => development!.snapshots.reset())
      return {}
    },
  }),

  route({
    method: 'GET',
    path: '/dev/snapshots/{name}/content',
    tag,
    summary: 'Download a snapshot, for a colleague or a test run; it contains the keys of the participant',
    response: 'bytes',
    call: ({ development }, { params }, _permission, { aside }) =>
      aside(() => development!.snapshots.read(params.name!)),
  }),

  route({
    method: 'POST',
    path: '/dev/snapshots/{name}/content',
    tag,
    summary: 'Add a snapshot that was downloaded elsewhere',
    body: 'stream',
    response: wire.snapshotResponse,
    async call({ development }, { params, body }, _permission, { aside }) {
      return answered(await aside(() => development!.snapshots.add(params.name!, body)))
    },
  }),

  route({
    method: 'POST',
    path: '/dev/time',
    tag,
    summary: 'Move the ledger time forward; a node that follows the wall clock runs ahead of it from then on',
    body: wire.moveTimeRequest,
    response: timeResponse,
    async call({ time }, { body: { advance, set } }) {
      if ((advance === '') === (set === undefined)) throw invalidArgument('give either advance or set')
      if (set !== undefined) await time.moveTo(set)
      else {
        const ms = anyDurationFromText(advance)
        if (ms === undefined) throw invalidField('advance', 'it is no time such as P1D, PT1H30M, 30d, 12h, 15m or 90s')
        await time.moveTo((now) => now + BigInt(ms) * 1000n)
      }
      return new RenderedJson(`{"currentTime":"${instantToText(time.now())}"}`)
    },
  }),

  route({
    method: 'POST',
    path: '/dev/dry-run',
    tag,
    summary: 'Find out what commands would do, without recording anything; refuses them as a submission would',
    body: submitForTransactionRequest,
    response: wire.dryRunResponse,
    early: ({ body }) => checkActAs(body.commands),
    subject: ({ body }) => ({ userId: body.commands.userId ?? '' }),
    async call({ submissions }, { body }, { userId }, context) {
      return new RenderedJson(await submissions.dryRun(commandsFromJson(body.commands, userId), context))
    },
  }),

  route({
    method: 'GET',
    path: '/dev/rejections',
    tag,
    summary: 'List the last submissions that were refused or rejected',
    query: wire.rejectionsRequest,
    response: wire.rejections,
    async call({ development }, { query: { after } }) {
      return new RenderedJson(`[${development!.rejections.list(after).join(',')}]`)
    },
  }),

  streamRoute({
    path: '/dev/rejections',
    tag,
    summary: 'Stream submissions that are refused or rejected',
    body: wire.rejectionsRequest,
    response: wire.rejections,
    subject: () => ({}),
    stream: ({ development }, { after }) => ({
      open: (signal, hints) => development!.rejections.after(after, signal, hints),
    }),
  }),
]

function answered(snapshot: Snapshot): RenderedJson {
  return new RenderedJson(`{"snapshot":${shown(snapshot)}}`)
}

function shown({ name, takenAtMs, offset, bytes, problem = '' }: Snapshot): string {
  const takenAt = instantToText(BigInt(Math.floor(takenAtMs)) * 1000n)
  const numbers = `"offset":${offset},"bytes":${bytes}`
  return `{"name":${JSON.stringify(name)},"takenAt":"${takenAt}",${numbers},"problem":${JSON.stringify(problem)}}`
}

export const darRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/dars',
    tag,
    summary: 'Upload a DAR; a package with the name and version of a vetted one takes its place, which is unvetted',
    query: validateQuery,
    body: 'bytes',
    response: wire.takeOverResponse,
    async call({ packages }, { query, body }) {
      const { main, replaced, outdated } = await packages.takeOver({
        synchronizerId: query.synchronizerId || undefined,
        bytes: body,
      })
      return {
        package: packageShown(main),
        replaced: replaced.map(packageShown),
        outdated: outdated.map(packageShown),
      }
    },
  }),
]

function packageShown({ id, name, version }: TakeOver['main']) {
  return { packageId: id, packageName: name, packageVersion: version }
}

const defaultLifetimeMs = 60 * 60 * 1000

export const tokenRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/tokens',
    tag,
    summary: 'Make a token: allocates parties that do not exist, and creates a user with just these rights',
    body: wire.issueTokenRequest,
    response: wire.issueTokenResponse,
    async call({ development, users, parties }, { body }, { caller }) {
      const order = { ...body, lifetimeMs: lifetimeFrom(body.lifetime) }
      return development!.tokens.issue(order, { users, parties }, caller)
    },
  }),
]

function lifetimeFrom(text: string): number {
  if (text === '') return defaultLifetimeMs
  if (text === 'unlimited') return Number.POSITIVE_INFINITY
  const ms = anyDurationFromText(text)
  if (ms === undefined) throw invalidField('lifetime', 'it is no time such as 90s, 15m, 1h, 7d, PT1H30M or unlimited')
  return ms
}

export const signInRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/sign-in',
    tag,
    summary: 'Exchange the key in a link to the explorer for a token',
    body: wire.signInRequest,
    response: wire.signInResponse,
    async call({ development }, { body: { key } }) {
      return { token: await development!.signIn.exchange(key) }
    },
  }),

  route({
    method: 'POST',
    path: '/dev/sign-out',
    tag,
    summary: 'Forget the session of the explorer that the token belongs to: the token is refused from then on',
    response: nothing,
    async call({ development }, _input, { caller: { session } }) {
      if (session === undefined) throw invalidArgument('The token belongs to no session that a link has opened')
      development!.signIn.signOut(session.id, session.expiresAtMs)
      return {}
    },
  }),

  route({
    method: 'POST',
    path: '/dev/sign-in-keys',
    tag,
    summary: 'Make a key for a link to the explorer: /explorer#key=…',
    response: wire.signInKeyResponse,
    async call({ development }) {
      const { key, expiresAtMs } = development!.signIn.key()
      const expiresAt = instantToText(BigInt(Math.floor(expiresAtMs)) * 1000n)
      return new RenderedJson(JSON.stringify({ key, expiresAt }))
    },
  }),
]
