// What `import … from 'tallystick'` gives. It loads the node on demand: with an older Node.js, the user
// gets an error that names the cause.
import type { StartNode } from './api.ts'

const oldestMajor = 26

export const startNode: StartNode = async (options = {}) => {
  if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
    throw new Error(`Tallystick runs in Node ${oldestMajor} or newer, and this is ${process.versions.node}`)
  }
  return (await import('./test-node.ts')).startNode(options)
}
