// Where the token is while a page is not there. Its tab keeps it in sessionStorage. On a development node localStorage has
// the token of the tab that was used last: a link opened in another tab is signed in, and signing out ends every tab. Both
// belong to the node's origin, port included; a cookie would go to every port of the machine, and with requests of others.
import { newCommandId } from '../api/command-ids.ts'

const tokenKey = 'tallystick-token'
/** Names the last time that somebody signed out everywhere; a tab remembers which one it has signed in after. */
const signedOutKey = 'tallystick-signed-out'

/** What may still be accepted, the tab's own first. */
export function keptTokens(): readonly string[] {
  const own = isSignedOutElsewhere() ? null : sessionStorage.getItem(tokenKey)
  return [...new Set([own, localStorage.getItem(tokenKey)])].filter((token) => token !== null)
}

export const isOwnToken = (token: string): boolean => sessionStorage.getItem(tokenKey) === token

/** A tab that slept did not hear of it. */
export function isSignedOutElsewhere(): boolean {
  return (sessionStorage.getItem(signedOutKey) ?? '') !== (localStorage.getItem(signedOutKey) ?? '')
}

export function keepToken(token: string, isShared: boolean): void {
  sessionStorage.setItem(tokenKey, token)
  const signedOut = localStorage.getItem(signedOutKey)
  if (signedOut === null) sessionStorage.removeItem(signedOutKey)
  else sessionStorage.setItem(signedOutKey, signedOut)
  if (isShared) shareToken(token)
}

/** With tabs that open from now on. */
export function shareToken(token: string): void {
  if (localStorage.getItem(tokenKey) !== token) localStorage.setItem(tokenKey, token)
}

/** Other tabs may have others. */
export function dropToken(token: string | undefined): void {
  sessionStorage.removeItem(tokenKey)
  if (localStorage.getItem(tokenKey) === token) localStorage.removeItem(tokenKey)
}

/** `sessionId` is that of the session which the node was told to forget, if it was. */
export function dropAllTokens(sessionId = newCommandId()): void {
  sessionStorage.removeItem(tokenKey)
  localStorage.removeItem(tokenKey)
  localStorage.setItem(signedOutKey, sessionId)
}

type Elsewhere = {
  readonly signedIn: () => void
  readonly signedOut: (sessionId: string) => void
}

/** Calls back when another tab signs in, or signs out everywhere. */
export function followOtherTabs({ signedIn, signedOut }: Elsewhere): void {
  addEventListener('storage', ({ storageArea, key, newValue }) => {
    if (storageArea !== localStorage || newValue === null) return
    if (key === signedOutKey) signedOut(newValue)
    if (key === tokenKey) signedIn()
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && isSignedOutElsewhere()) signedOut(localStorage.getItem(signedOutKey) ?? '')
  })
}
