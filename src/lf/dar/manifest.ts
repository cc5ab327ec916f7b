// The manifest of a DAR: which packages it holds and which of them is its main one. A JAR manifest, so lines are
// wrapped at 72 bytes and a line that begins with one space continues the line before it.
import { ArchiveError } from '../archive/archive-error.ts'

export type Manifest = {
  readonly mainDalf: string
  /** Entry names of all packages, the main one first, each once. */
  readonly dalfs: readonly string[]
  readonly name: string | undefined
  readonly sdkVersion: string | undefined
}

export const manifestName = 'META-INF/MANIFEST.MF'
const supportedFormat = 'daml-lf'

export function manifestFromText(text: string): Manifest {
  const attributes = mainAttributes(text)
  const required = (name: string): string => {
    const value = attributes.get(name.toLowerCase())?.trim()
    if (value === undefined) throw notADar(`${manifestName} has no ${name}`, `Cannot find attribute: ${name}`)
    return value
  }
  const mainDalf = required('Main-Dalf')
  const dalfs = namesIn(required('Dalfs'))
  const format = required('Format')
  if (format !== supportedFormat) {
    const message = `${manifestName} has the Format ${JSON.stringify(format)} where a DAR has ${supportedFormat}`
    throw notADar(message, `Unsupported format: ${format}`)
  }
  return {
    mainDalf,
    dalfs: [...new Set([mainDalf, ...dalfs])],
    name: attributes.get('name')?.trim(),
    sdkVersion: attributes.get('sdk-version')?.trim(),
  }
}

/** As Java splits a list: nothing after the last comma is no name, but nothing between two commas is an empty one. */
function namesIn(list: string): string[] {
  return list
    .replace(/(?<=[^,]),+$/, '')
    .split(',')
    .map((name) => name.trim())
}

/** Attribute names are case-insensitive. The main section ends at the first empty line. */
function mainAttributes(text: string): Map<string, string> {
  const unwrapped = text.replace(/\r\n?/g, '\n').replaceAll('\n ', '')
  const [main = ''] = unwrapped.replace(/^\n+/, '').split('\n\n', 1)
  const attributes = new Map<string, string>()
  for (const line of main.split('\n')) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1) throw notADar(`${manifestName} has a line without a name: ${JSON.stringify(line.slice(0, 80))}`)
    attributes.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1))
  }
  return attributes
}

function notADar(message: string, words = message): ArchiveError {
  const exception = `com.digitalasset.daml.lf.archive.Error$DarManifestReaderException: ${words}`
  return new ArchiveError(message, { kind: 'not-a-dar', exception })
}
