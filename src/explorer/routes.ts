// Every page of the explorer: its path, the file that shows it, and its place in the navigation. The code of a page runs when it
// is first opened.
import type { IconName } from './parts/icon.tsx'
import type { Page, PageProps } from './state/page.ts'
import type { Session } from './state/session.ts'

export type Route = {
  /** Below /explorer; `:name` stands for one part of the path. */
  readonly path: string
  readonly load: () => Promise<Page>
  /** In the navigation, if it belongs there. */
  readonly nav?: {
    readonly words: string
    readonly icon: IconName
    readonly group: NavGroup
    /** With `g` before it, the key that leads there. */
    readonly key: string
  }
  /** Whether the page is of use to this reader; to everybody by default. */
  readonly isFor?: (session: Session) => boolean
}

export const navGroups = ['Ledger', 'Model', 'Access', 'Tools'] as const
export type NavGroup = (typeof navGroups)[number]

export const routes: readonly Route[] = [
  {
    path: '/',
    load: async () => (await import('./pages/overview.tsx')).OverviewPage,
    nav: { words: 'Overview', icon: 'home', group: 'Ledger', key: 'o' },
  },
  {
    path: '/updates',
    load: async () => (await import('./pages/updates.tsx')).UpdatesPage,
    nav: { words: 'Updates', icon: 'activity', group: 'Ledger', key: 'u' },
  },
  { path: '/updates/:id', load: async () => (await import('./pages/update.tsx')).UpdatePage, isFor: reads },
  {
    path: '/contracts',
    load: async () => (await import('./pages/contracts.tsx')).ContractsPage,
    nav: { words: 'Contracts', icon: 'file', group: 'Ledger', key: 'c' },
  },
  { path: '/contracts/:id', load: async () => (await import('./pages/contract.tsx')).ContractPage, isFor: reads },
  { path: '/act/create', load: async () => (await import('./pages/create.tsx')).CreatePage, isFor: acts },
  { path: '/act/exercise', load: async () => (await import('./pages/exercise.tsx')).ExercisePage, isFor: acts },
  {
    path: '/refusals',
    load: async () => (await import('./pages/refusals.tsx')).RefusalsPage,
    nav: { words: 'Refusals', icon: 'alert', group: 'Ledger', key: 'r' },
    isFor: develops,
  },
  {
    path: '/packages',
    load: async () => (await import('./pages/packages.tsx')).PackagesPage,
    nav: { words: 'Packages', icon: 'box', group: 'Model', key: 'm' },
  },
  { path: '/packages/:id', load: async () => (await import('./pages/package.tsx')).PackagePage },
  {
    path: '/parties',
    load: async () => (await import('./pages/parties.tsx')).PartiesPage,
    nav: { words: 'Parties', icon: 'users', group: 'Access', key: 'p' },
    isFor: administers,
  },
  { path: '/parties/:id', load: async () => (await import('./pages/party.tsx')).PartyPage },
  { path: '/parties/:id/wallet', load: async () => (await import('./pages/wallet.tsx')).WalletPage, isFor: reads },
  {
    path: '/users',
    load: async () => (await import('./pages/users.tsx')).UsersPage,
    nav: { words: 'Users', icon: 'user', group: 'Access', key: 's' },
    isFor: administers,
  },
  { path: '/users/:id', load: async () => (await import('./pages/user.tsx')).UserPage, isFor: administers },
  {
    path: '/identity-providers',
    load: async () => (await import('./pages/providers.tsx')).ProvidersPage,
    nav: { words: 'Identity providers', icon: 'key', group: 'Access', key: 'i' },
    isFor: ({ isAdmin }) => isAdmin,
  },
  {
    path: '/scripts',
    load: async () => (await import('./pages/scripts.tsx')).ScriptsPage,
    nav: { words: 'Scripts', icon: 'play', group: 'Tools', key: 'd' },
    isFor: develops,
  },
  {
    path: '/controls',
    load: async () => (await import('./pages/controls.tsx')).ControlsPage,
    nav: { words: 'Controls', icon: 'flask', group: 'Tools', key: 't' },
    isFor: develops,
  },
  {
    path: '/api',
    load: async () => (await import('./pages/api.tsx')).ApiPage,
    nav: { words: 'API', icon: 'book', group: 'Tools', key: 'a' },
  },
  { path: '/api/:id', load: async () => (await import('./pages/api-operation.tsx')).ApiOperationPage },
]

function acts({ actsAs }: Session): boolean {
  return actsAs.length > 0
}

/** Without a party to read as, the ledger shows nothing. */
function reads({ readsAs }: Session): boolean {
  return readsAs.length > 0
}

function develops({ isDevelopment, isAdmin }: Session): boolean {
  return isDevelopment && isAdmin
}

function administers({ isAdmin, isIdentityProviderAdmin }: Session): boolean {
  return isAdmin || isIdentityProviderAdmin
}

export type Match = { readonly route: Route; readonly params: PageProps['params'] }

/** Undefined if no page has this path. */
export function routeAt(path: string, among: readonly Route[] = routes): Match | undefined {
  const parts = path.split('/')
  for (const route of among) {
    const wanted = route.path.split('/')
    if (wanted.length !== parts.length) continue
    const params: [string, string][] = []
    const fits = wanted.every((part, index) => {
      if (!part.startsWith(':')) return part === parts[index]
      const value = decoded(parts[index]!)
      if (value !== undefined) params.push([part.slice(1), value])
      return value !== undefined && value !== ''
    })
    if (fits) return { route, params: Object.fromEntries(params) }
  }
  return undefined
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
