// The options of `tallystick test` about coverage; those about templates and choices are of `dpm test`.
import type { OptionTable } from './options.ts'

export type CoverageFlags = {
  readonly coverage?: string
  readonly 'coverage-dar'?: readonly string[]
  readonly 'coverage-package'?: string
  readonly 'coverage-sources'?: string
  readonly 'show-coverage'?: boolean
  readonly 'coverage-ignore-choice'?: readonly string[]
  readonly 'load-coverage'?: readonly string[]
  readonly 'save-coverage'?: string
  readonly 'load-coverage-only'?: boolean
}

export const coverageOptions = {
  coverage: {
    type: 'string',
    value: 'DIR',
    help: 'count lines and branches: a table, and LCOV and HTML in this folder',
  },
  'coverage-dar': {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'cover the main package of this DAR, too, which needs no scripts; may be repeated',
  },
  'coverage-package': {
    type: 'string',
    value: 'PATTERN',
    help: 'cover dependencies, too, whose name-version matches this regular expression',
  },
  'coverage-sources': { type: 'string', value: 'DIR', help: 'where the Daml sources are, for paths in lcov.info' },
  'show-coverage': { type: 'boolean', help: 'show templates never created and choices never exercised' },
  'coverage-ignore-choice': {
    type: 'string',
    multiple: true,
    value: 'PATTERN',
    help: 'leave out choices whose Module:Template:Choice matches; may be repeated',
  },
  'load-coverage': {
    type: 'string',
    multiple: true,
    value: 'FILE',
    help: 'add templates and choices of an earlier run, or of dpm test; may be repeated',
  },
  'save-coverage': { type: 'string', value: 'FILE', help: 'write templates and choices here' },
  'load-coverage-only': { type: 'boolean', help: 'run nothing: only add what --load-coverage names' },
} as const satisfies OptionTable
