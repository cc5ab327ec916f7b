// A URL as it may be printed or logged: it may hold what opens the place it names.

/** Without user, password and the values of its query. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'a URL that cannot be read'
  const { protocol, host, pathname, username, password, searchParams } = parsed
  const hasUser = username !== '' || password !== ''
  const query = [...searchParams.keys()].map((name) => `${name}=***`).join('&')
  return `${protocol}//${hasUser ? '***@' : ''}${host}${pathname}${query === '' ? '' : `?${query}`}`
}
