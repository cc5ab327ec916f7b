// The frame around every page: skip link, header, navigation, messages.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button, IconButton } from '../parts/button.tsx'
import { Confirmation } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { Toaster } from '../parts/toaster.tsx'
import { navGroups, type Route, routes } from '../routes.ts'
import { isOnline, ledgerEnd } from '../state/ledger.ts'
import { navigate, path } from '../state/location.ts'
import { session, sessionState, signOut } from '../state/session.ts'
import { addShortcuts, isHelpShown, rowShortcuts } from '../state/shortcuts.ts'
import { nextTheme, theme } from '../state/theme.ts'
import { timeText, toggleZone, zoneName } from '../state/time-zone.ts'
import { ForkMark } from './fork-mark.tsx'
import { Help } from './help.tsx'
import { Outlet } from './outlet.tsx'
import { ParticipantSwitch } from './participant-switch.tsx'
import { PartyView } from './party-view.tsx'
import { Search, searchId } from './search.tsx'
import { SignIn } from './sign-in.tsx'

const themeIcons = { system: 'monitor', light: 'sun', dark: 'moon' } as const

export function Frame() {
  const state = sessionState.value
  if (state.kind === 'starting') return <p class="starting">Signing in…</p>
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {state.kind === 'signed in' ? <SignedIn /> : <SignIn {...state} />}
      <Toaster />
      <Confirmation />
      <Help />
    </>
  )
}

function SignedIn() {
  const isMenuOpen = useSignal(false)
  useEffect(() => addShortcuts(frameShortcuts()), [])
  useEffect(() => {
    isMenuOpen.value = false
  }, [path.value])
  return (
    <div class={isMenuOpen.value ? 'frame menu-open' : 'frame'}>
      <header class="top">
        <div class="menu-button">
          <IconButton
            icon="menu"
            label="Navigation"
            expanded={isMenuOpen.value}
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.value
            }}
          />
        </div>
        <Link to="/" class="brand" title="Tallystick explorer">
          <span class="tally" aria-hidden="true" />
          <span>Tallystick</span>
        </Link>
        <Search />
        <PartyView />
        <IconButton icon={themeIcons[theme.value]} label={`Theme: ${theme.value}. Change`} onClick={nextTheme} />
        <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={showHelp} />
      </header>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <ForkMark />
        {!isOnline.value && (
          <p class="notice" role="alert">
            The node does not answer. What you see may be out of date; the page tries again by itself.
          </p>
        )}
        <Outlet />
      </main>
    </div>
  )
}

function Navigation() {
  const { userId, version, token } = session.value
  return (
    <nav class="side" aria-label="Pages">
      <ParticipantSwitch />
      {navGroups.map((group) => {
        const rows = shownRoutes().filter(({ nav }) => nav.group === group)
        return (
          rows.length > 0 && (
            <div key={group} class="nav-group">
              <h2>{group}</h2>
              <ul>
                {rows.map((row) => (
                  <li key={row.path}>
                    <Link to={row.path} aria-current={isHere(row) ? 'page' : undefined}>
                      <Icon name={row.nav.icon} />
                      {row.nav.words}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        )
      })}
      <div class="side-foot">
        <p>
          <span class="faint">Ledger end</span> <span class="mono">{ledgerEnd.value ?? '…'}</span>
        </p>
        <p>
          <span class="faint">Times in</span>{' '}
          <button type="button" class="plain-link" onClick={toggleZone} title="Change between your time zone and UTC">
            {zoneName.value}
          </button>
        </p>
        <p>
          <span class="faint">User</span> {userId ?? 'none required'}
        </p>
        <p class="faint">API {version}</p>
        {token !== undefined && <SessionEnd />}
      </div>
    </nav>
  )
}

/** How long the session lasts, and how to end it before. */
function SessionEnd() {
  const { expiresAtMs, isDevelopment } = session.value
  const end = expiresAtMs === undefined ? undefined : timeText(new Date(expiresAtMs).toISOString())
  return (
    <>
      <p>
        <span class="faint">Signed in{isDevelopment && ', in every tab,'}</span>{' '}
        {end === undefined ? 'without end' : `until ${end.date} ${end.time.slice(0, 5)}`}
      </p>
      <Button kind="quiet" onClick={signOut}>
        {isDevelopment ? 'Sign out everywhere' : 'Sign out'}
      </Button>
    </>
  )
}

type NavRoute = Route & { readonly nav: NonNullable<Route['nav']> }

function shownRoutes(): NavRoute[] {
  return routes.filter((route): route is NavRoute => route.nav !== undefined && (route.isFor?.(session.value) ?? true))
}

function isHere({ path: to }: Route): boolean {
  return path.value === to || (to !== '/' && path.value.startsWith(`${to}/`))
}

function showHelp(): void {
  isHelpShown.value = true
}

function frameShortcuts() {
  return [
    { keys: '?', words: 'Show this list', run: showHelp },
    { keys: '/', words: 'Search', run: () => document.getElementById(searchId)?.focus() },
    ...shownRoutes().map(({ path: to, nav }) => ({ keys: `g ${nav.key}`, words: nav.words, run: () => navigate(to) })),
    ...rowShortcuts,
    { keys: 't', words: 'Change the theme', run: nextTheme },
    { keys: 'z', words: 'Change the time zone', run: toggleZone },
  ]
}
