// The log, on standard error: one JSON object per line, or lines for people. It contains no token, payload or contract
// argument unless the settings ask for causes; requests are described by route, size and error code.
import { pino } from 'pino'
import { createTerminalLog } from './terminal-log.ts'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const logFormats = ['auto', 'pretty', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

export type Log = {
  readonly isDebug: boolean
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export function createLog(level: LogLevel, format: LogFormat = 'json'): Log {
  const { stderr } = process
  const isPretty = format === 'pretty' || (format === 'auto' && stderr.isTTY)
  if (isPretty) return createTerminalLog(level, stderr, () => new Date())
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stderr)
  return {
    isDebug: logger.isLevelEnabled('debug'),
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}

/** A log whose every line has these fields, too. */
export function logWith(log: Log, common: object): Log {
  return {
    isDebug: log.isDebug,
    debug: (fields, message) => log.debug({ ...common, ...fields }, message),
    info: (fields, message) => log.info({ ...common, ...fields }, message),
    warn: (fields, message) => log.warn({ ...common, ...fields }, message),
    error: (fields, message) => log.error({ ...common, ...fields }, message),
  }
}
