// The listener and the service behind it. Another service can take over while connections stay open: requests that come
// in between wait for it.

import type { Strangers } from '../api/strangers.ts'
import type { Clock } from '../base/clock.ts'
import type { Settings } from '../base/settings.ts'
import type { LocalCall } from './local-exchange.ts'
import { createListener, type Handlers } from './node-servers.ts'
import type { HttpService } from './service.ts'

export type Listeners = {
  /** Starts listening; returns the URL. */
  listen(): Promise<string>
  /** A request from inside this process. */
  readonly call: LocalCall
  /** From now on requests go to this service; first those that waited. */
  leadTo(service: HttpService): void
  /** From now on requests wait. Nothing of their bodies is read. */
  hold(): void
  /** Ends within the time given. */
  close(withinMs: number): Promise<void>
}

type Parts = { readonly settings: Settings; readonly strangers: Strangers; readonly clock: Clock }

export function createListeners({ settings, strangers, clock }: Parts, first: HttpService): Listeners {
  /** Also the one that answers whether a request is an upgrade, while others wait. */
  let service = first
  let waiting: (() => void)[] | undefined
  const whenLed = (begin: () => void) => (waiting === undefined ? begin() : void waiting.push(begin))
  const handlers: Handlers = {
    isUpgrade: (request) => service.isUpgrade(request),
    mayTakeLonger: (socket) => service.mayTakeLonger(socket),
    request: (request, response) => whenLed(() => service.request(request, response)),
    upgrade: (request, socket, head) => whenLed(() => service.upgrade(request, socket, head)),
  }
  const listener = createListener(settings, handlers, strangers)

  return {
    listen: listener.listen,
    call: (request) => new Promise((resolve) => whenLed(() => resolve(service.call(request)))),
    hold() {
      waiting ??= []
    },
    leadTo(next) {
      service = next
      const begins = waiting ?? []
      waiting = undefined
      for (const begin of begins) begin()
    },
    async close(withinMs) {
      const force = clock.after(withinMs, listener.closeAllConnections)
      await Promise.all([listener.close(), service.close(withinMs)])
      force.cancel()
    },
  }
}
