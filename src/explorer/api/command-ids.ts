// Ids for commands. Browsers have `crypto.randomUUID` only for pages with TLS or of this machine.
export function newCommandId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
