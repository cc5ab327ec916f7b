// Whom the connections of this process trust, besides those that it trusts anyway.
import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { StartError } from '../base/errors.ts'

/** The file is in PEM form. */
export function trustCertificates(file: string): void {
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(file, 'utf8')])
  } catch (error) {
    throw new StartError(`cannot use ${file}: ${(error as Error).message}`)
  }
}
