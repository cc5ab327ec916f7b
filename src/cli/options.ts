// The options that commands share, with their help.
import type { ParseArgsConfig } from 'node:util'

export type OptionTable = Readonly<
  Record<string, NonNullable<ParseArgsConfig['options']>[string] & { readonly value?: string; readonly help: string }>
>

export const settingOptions = {
  host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (127.0.0.1)' },
  port: { type: 'string', value: 'PORT', help: 'port to listen on (7575); 0 takes any free one' },
  data: { type: 'string', value: 'DIR', help: 'keep the ledger in a SQLite file in this folder (./.tallystick)' },
  memory: { type: 'boolean', help: 'keep the ledger in memory; it is gone when the node stops' },
  postgres: { type: 'string', value: 'URL', help: 'keep the ledger in PostgreSQL: postgres://user:password@host/db' },
  'static-time': { type: 'string', value: 'TIME', help: 'time stands still, first at 2030-01-01T00:00:00Z, say' },
  dar: { type: 'string', multiple: true, value: 'FILE', help: 'package to upload at start; may be repeated' },
  config: { type: 'string', value: 'FILE', help: 'JSON file with settings; `tallystick config` prints them all' },
  auth: { type: 'string', value: 'jwt|off', help: 'off asks for no token: everybody may do everything' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'trace, debug, info, warn, error or silent (info)' },
} as const satisfies OptionTable

export const helpOption = {
  help: { type: 'boolean', short: 'h', help: 'show this help' },
} as const satisfies OptionTable

export function describeOptions(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, { value, help }]) => {
    const left = value === undefined ? `--${name}` : `--${name} ${value}`
    return `  ${left.padEnd(22)} ${help}`
  })
  return rows.join('\n')
}
