// A URL for printing or logging, without the credentials it may contain.

/** Removes user, password and the values of the query. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'a URL that cannot be read'
  const { protocol, host, pathname, username, password, searchParams } = parsed
  const hasUser = username !== '' || password !== ''
  const query = [...searchParams.keys()].map((name) => `${name}=***`).join('&')
  return `${protocol}//${hasUser ? '***@' : ''}${host}${pathname}${query === '' ? '' : `?${query}`}`
}
