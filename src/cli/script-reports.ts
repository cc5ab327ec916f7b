// The results of scripts, for people and for programs: text, TAP, JSON and JUnit's XML.
import { failureLines } from '../script/failure-lines.ts'
import { nameOfScript } from './script-dars.ts'
import type { ScriptResult } from './script-ledger.ts'

/** A script of a file that ran, or a file none of whose scripts can run. */
export type Reported =
  | ({
      readonly kind: 'script'
      readonly file: string
      readonly packageName: string
      /** Whether another file has a script of this name, too. */
      readonly isShared: boolean
    } & ScriptResult)
  | { readonly kind: 'problem'; readonly file: string; readonly message: string }

export type Summary = { readonly passed: number; readonly failed: number; readonly notRun: number; readonly ms: number }

export type Reporter = {
  /** Called for each as it ends. */
  one(reported: Reported): void
  end(all: readonly Reported[], summary: Summary): void
}

type Print = (text: string) => void

export const reporters = {
  text: (print: Print): Reporter => ({
    one: (reported) => print(textOf(reported)),
    end: (_, summary) => print(`\n${summaryText(summary)}`),
  }),

  tap: (print: Print): Reporter => {
    let number = 0
    print('TAP version 14')
    return {
      one(reported) {
        number += 1
        const isGood = reported.kind === 'script' && reported.failure === undefined
        print(`${isGood ? 'ok' : 'not ok'} ${number} - ${titleOf(reported).replaceAll('#', '\\#')}`)
        if (isGood) return
        const lines = detailsOf(reported).map((line) => `    ${line}`)
        print(['  ---', '  message: |', ...lines, '  ...'].join('\n'))
      },
      end: () => print(`1..${number}`),
    }
  },

  json: (print: Print): Reporter => ({
    one: () => undefined,
    end: (all, summary) => print(JSON.stringify({ ...summary, results: all.map(jsonOf) }, null, 2)),
  }),

  junit: (print: Print): Reporter => ({
    one: () => undefined,
    end: (all, summary) => print(junitOf(all, summary)),
  }),
} as const satisfies Record<string, (print: Print) => Reporter>

export type ReporterName = keyof typeof reporters

function summaryText({ passed, failed, notRun, ms }: Summary): string {
  const parts = [`${passed} passed`, `${failed} failed`, ...(notRun > 0 ? [`${notRun} not run`] : [])]
  return `${parts.join(', ')} (${(ms / 1000).toFixed(1)} s)`
}

function titleOf(reported: Reported): string {
  if (reported.kind === 'problem') return reported.file
  return reported.isShared ? `${nameOfScript(reported.script)} in ${reported.file}` : nameOfScript(reported.script)
}

function textOf(reported: Reported): string {
  if (reported.kind === 'problem') return `✖ ${reported.file}\n  ${reported.message}`
  const isGood = reported.failure === undefined
  const line = `${isGood ? '✔' : '✖'} ${titleOf(reported)} (${reported.ms} ms)`
  return [line, ...detailsOf(reported).map((each) => `  ${each}`)].join('\n')
}

/** Messages of the script, why it failed, where, and what was on the ledger by then. */
function detailsOf(reported: Reported): string[] {
  if (reported.kind === 'problem') return [reported.message]
  const { traces, failure, transactions, keptIn } = reported
  const said = traces.flatMap((text) => text.split('\n')).map((line) => `» ${line}`)
  if (failure === undefined) return said
  const ledger =
    transactions.length === 0 ? [] : ['on the ledger by then:', ...transactions.flatMap((tree) => tree.split('\n'))]
  const kept = keptIn === undefined ? [] : [`its ledger: tallystick start --data ${keptIn}`]
  return [...failureLines(failure), ...said, ...ledger, ...kept]
}

function jsonOf(reported: Reported): object {
  if (reported.kind === 'problem') return { file: reported.file, problem: reported.message }
  const { file, packageName, ms, traces, failure, transactions, keptIn } = reported
  const name = nameOfScript(reported.script)
  return {
    file,
    package: packageName,
    name,
    passed: failure === undefined,
    ms,
    traces,
    ...(failure && { failure, transactions }),
    ...(keptIn !== undefined && { keptIn }),
  }
}

function junitOf(all: readonly Reported[], { failed, ms }: Summary): string {
  const seconds = (value: number) => (value / 1000).toFixed(3)
  const cases = all.map((reported) => {
    const isProblem = reported.kind === 'problem'
    const className = isProblem ? reported.file : `${reported.packageName}.${reported.script.id.module}`
    const name = isProblem ? 'scripts' : reported.script.id.name
    const attributes = `classname="${escaped(className)}" name="${escaped(name)}"`
    const time = isProblem ? '' : ` time="${seconds(reported.ms)}"`
    const isGood = !isProblem && reported.failure === undefined
    if (isGood) return `    <testcase ${attributes}${time}/>`
    const details = detailsOf(reported)
    const failure = `<failure message="${escaped(details[0] ?? '')}">${escaped(details.join('\n'))}</failure>`
    return `    <testcase ${attributes}${time}>${failure}</testcase>`
  })
  const counts = `tests="${all.length}" failures="${failed}" time="${seconds(ms)}"`
  const suite = [`  <testsuite name="scripts" ${counts}>`, ...cases, '  </testsuite>']
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites ${counts}>`, ...suite, '</testsuites>'].join('\n')
}

/** Also leaves out what XML cannot hold. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
