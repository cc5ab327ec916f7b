// The OIDC issuer that --oidc adds beside a node: its realm, its port, and the key that the node learns from it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { wallClock } from '../base/clock.ts'
import { StartError } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import type { Settings } from '../base/settings.ts'
import { openIssuer } from '../issuer/issuer.ts'
import type { Realm } from '../issuer/realm.ts'
import { readRealms } from '../issuer/realm-export.ts'
import { UsageError } from './command.ts'
import { isLoopback } from './local-node.ts'
import type { OidcFlags } from './options.ts'

export type OidcIssuer = AsyncDisposable & {
  /** Those of the node, with the issuer among its keys. */
  readonly settings: Settings
  /** For the banner. */
  readonly description: string
}

/** As LocalNet's, so that an application finds the same here and there. */
const audience = 'https://canton.network.global'
const portDefault = 8082
const password = 'abc123'

/** The accounts are users of the ledger: the id of each is its name. */
const ownRealm: Realm = {
  name: 'tallystick',
  audience,
  clients: [
    {
      id: 'administrator',
      secret: 'unsafe',
      grants: ['client_credentials'],
      account: { id: 'participant_admin', username: 'service-account-administrator' },
    },
    {
      id: 'app',
      grants: ['authorization_code', 'password'],
      redirectUris: ['http://localhost:*', 'http://127.0.0.1:*'],
    },
  ],
  accounts: ['participant_admin', 'alice', 'bob'].map((name) => ({ id: name, username: name, password })),
}

/** It listens before the node does: a port that is taken is found before anything else happens. */
export async function openOidcIssuer(flags: OidcFlags, settings: Settings): Promise<OidcIssuer> {
  const { host } = settings.http
  if (settings.processes > 1) throw new UsageError('--oidc is for one process')
  if (!isLoopback(host) && host !== '::1' && !flags.unsafe) {
    throw new UsageError(
      `${host} is not this machine: everybody knows the passwords of --oidc, so whoever reaches it may do everything; --unsafe listens there`,
    )
  }
  const read = readRealms(flags['oidc-realm'] ?? [], audience, systemRandom)
  const realms = read.some(({ name }) => name === ownRealm.name) ? read : [ownRealm, ...read]
  await using open = new AsyncDisposableStack()
  const listener = open.use(await listen(portFrom(flags['oidc-port']), host))
  const url = `http://localhost:${listener.port}`
  const issuer = await openIssuer({
    realms,
    url,
    folder: settings.store.kind === 'memory' ? undefined : resolve(settings.store.data),
    clock: wallClock,
    random: systemRandom,
    log: createLog(settings.log.level, settings.log.format),
  })
  listener.server.on('request', issuer.handle)
  const keys = `${listener.url}/realms/${realms[0]!.name}/protocol/openid-connect/certs`
  const { auth } = settings
  const opened = open.move()
  return {
    settings: {
      ...settings,
      auth: { ...auth, keys: [...auth.keys, { type: 'jwks', url: keys, targetAudience: audience }] },
    },
    description: `${realms.map(({ name }) => `${url}/realms/${name}`).join(', ')}, password ${password}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function portFrom(text = String(portDefault)): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--oidc-port: ${text} is not a port`)
}

async function listen(port: number, host: string) {
  const server = createServer()
  await new Promise<void>((done, reject) => {
    server.once('error', ({ code, message }: { code?: string } & Error) => {
      const reason = code === 'EADDRINUSE' ? 'another program has it; choose another one with --oidc-port' : message
      reject(new StartError(`cannot listen on port ${port} (OIDC issuer): ${reason}`))
    })
    server.listen(port, host, done)
  })
  const { address, family, port: chosen } = server.address() as AddressInfo
  const name = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return {
    server,
    port: chosen,
    url: `http://${name}:${chosen}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      server.closeAllConnections()
      await closed
    },
  }
}
