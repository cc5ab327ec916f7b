// The Daml-LF versions that run here.

export type LanguageVersion = '2.1' | '2.2' | '2.3'
export type Minor = 1 | 2 | 3

export function languageVersionOf(minor: Minor): LanguageVersion {
  return `2.${minor}`
}

export function minorOf(version: LanguageVersion): Minor {
  return Number(version.slice(2)) as Minor
}
