// The flags of `dpm sandbox` 3.5 and of the older `daml sandbox`: those that are served, many of them as keys of Canton's
// configuration, and those that are refused with what to use instead. Mirrors Canton's app/…/cli/Cli.scala.
import type { RefusedOptions } from '../command.ts'
import type { OptionTable } from '../options.ts'

const sandbox = 'participants.sandbox'

/** Flags that spell a key. */
export const keyOptions = {
  'ledger-api-port': { value: 'PORT', help: 'port of the gRPC Ledger API (6865)', key: `${sandbox}.ledger-api.port` },
  'json-api-port': {
    value: 'PORT',
    help: 'port of the JSON Ledger API (6864)',
    key: `${sandbox}.http-ledger-api.port`,
  },
  'admin-api-port': { value: 'PORT', help: 'port of the Admin API (6866)', key: `${sandbox}.admin-api.port` },
  'canton-port-file': {
    value: 'FILE',
    help: 'write the ports to this file, as JSON, when the sandbox is ready',
    key: 'parameters.ports-file',
  },
  'json-api-port-file': {
    value: 'FILE',
    help: 'write the port of the JSON API to this file',
    key: `${sandbox}.http-ledger-api.port-file`,
  },
  port: { value: 'PORT', help: 'the same as --ledger-api-port', key: `${sandbox}.ledger-api.port` },
} as const

const string = 'string' as const
const boolean = 'boolean' as const

export const sandboxOptions = {
  ...(Object.fromEntries(
    Object.entries(keyOptions).map(([name, { value, help }]) => [name, { type: string, value, help }]),
  ) as { [name in keyof typeof keyOptions]: { type: 'string'; value: string; help: string } }),
  'port-file': { type: string, value: 'FILE', help: 'write the port of the gRPC Ledger API to this file' },
  dar: { type: string, multiple: true, value: 'FILE', help: 'package to upload; several with commas, or repeated' },
  'static-time': { type: boolean, help: 'time only moves on request; it starts at 1970-01-01T00:00:00Z' },
  'wall-clock-time': { type: boolean, help: 'the time of the machine, which is the default' },
  'multi-sync': { type: boolean, help: 'three participants on two synchronizers' },
  config: {
    type: string,
    short: 'c',
    multiple: true,
    value: 'FILE',
    help: '-c: configuration files of Canton (HOCON); of a key, the last value counts',
  },
  'config-value': {
    type: string,
    short: 'C',
    multiple: true,
    value: 'KEY=VALUE',
    help: '-C: keys of the configuration, several with commas; they come before files',
  },
  'shutdown-stdin-close': { type: boolean, help: 'stop when standard input is closed' },
  'exit-after-bootstrap': { type: boolean, help: 'stop as soon as the sandbox is ready' },
  'no-tty': { type: boolean, help: 'no terminal is used, which is always so' },
  nuck: { type: boolean, help: 'contract keys, which are always there' },
  verbose: { type: boolean, short: 'v', help: '-v: a log line for every request' },
  debug: { type: boolean, help: 'the same as --verbose' },
  'log-level-stdout': {
    type: string,
    value: 'LEVEL',
    help: 'TRACE, DEBUG, INFO, WARN, ERROR or OFF (WARN); the log is on standard error',
  },
  'log-encoder': { type: string, value: 'FORMAT', help: 'plain or json' },
  'log-file-appender': { type: string, value: 'off', help: 'off: there is no log file' },
} as const satisfies OptionTable

const noLogFile = 'there is no log file: redirect standard error'
const noSynchronizerNodes = 'sequencers and mediators have no ports here; leave it out'
const oneLevel = 'use --log-level-stdout, which is the level of the whole log'

export const refusedOptions: RefusedOptions = {
  dev: { type: 'boolean', instead: 'the newest protocol version of Canton 3.5 is served, none under development' },
  'sequencer-public-port': { type: 'string', instead: noSynchronizerNodes },
  'sequencer-admin-port': { type: 'string', instead: noSynchronizerNodes },
  'mediator-admin-port': { type: 'string', instead: noSynchronizerNodes },
  'domain-public-port': { type: 'string', instead: noSynchronizerNodes },
  'domain-admin-port': { type: 'string', instead: noSynchronizerNodes },
  bootstrap: {
    type: 'string',
    instead: 'there is no Canton console: a world file sets a ledger up (tallystick start --world)',
  },
  'manual-start': { type: 'boolean', instead: 'the sandbox always starts; stop the process instead' },
  'canton-help': { type: 'boolean', instead: 'use --help' },
  'jvm-property': { type: 'string', short: 'D', instead: 'there is no JVM here' },
  'log-level-root': { type: 'string', instead: oneLevel },
  'log-level-canton': { type: 'string', instead: oneLevel },
  'log-truncate': { type: 'boolean', instead: noLogFile },
  'log-file-name': { type: 'string', instead: noLogFile },
  'log-file-rolling-history': { type: 'string', instead: noLogFile },
  'log-file-rolling-pattern': { type: 'string', instead: noLogFile },
  'log-immediate-flush': { type: 'string', instead: noLogFile },
  'log-profile': {
    type: 'string',
    instead: '--log-level-stdout DEBUG and --log-encoder json are what containers need',
  },
  'log-access': { type: 'string', instead: '--verbose logs every request' },
  'log-access-filename': { type: 'string', instead: '--verbose logs every request, on standard error' },
  'log-access-errors': { type: 'string', instead: '--log-level-stdout INFO logs every refusal' },
  'log-access-errors-filename': {
    type: 'string',
    instead: '--log-level-stdout INFO logs every refusal, on standard error',
  },
  'kms-log-file-name': { type: 'string', instead: 'there is no KMS here' },
  'kms-log-file-rolling-history': { type: 'string', instead: 'there is no KMS here' },
  'kms-log-file-rolling-pattern': { type: 'string', instead: 'there is no KMS here' },
  'kms-log-immediate-flush': { type: 'string', instead: 'there is no KMS here' },
}
