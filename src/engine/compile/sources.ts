// From a line of generated code back to Daml: scripts have names that stack traces show, and remember for each of their
// lines which definition and which place in the source it came from. Costs nothing until something goes wrong.
import type { Origin } from './writer.ts'

// `new Function` puts two lines before the text, and the text has one line of declarations before the code.
const linesBefore = 3
const frame = /daml-(\d+)\.js:(\d+):\d+/g

export type Sources = {
  remember(origins: readonly Origin[]): string
  originsOf(error: Error): Origin[]
}

export function createSources(): Sources {
  const scripts: (readonly Origin[])[] = []
  return {
    remember(origins) {
      scripts.push(origins)
      return `daml-${scripts.length - 1}.js`
    },
    originsOf({ stack = '' }) {
      return [...stack.matchAll(frame)].flatMap(([, script, line]) => {
        const origin = scripts[Number(script)]?.[Number(line) - linesBefore - 1]
        return origin === undefined ? [] : [origin]
      })
    },
  }
}
