// The stages of a command as spans of its request: interpretation, bringing contracts together, commit. Wraps the parts
// that do the work, so that a node without a tracer runs them as they are.
import { failureOf, type Outcome, type Tracer } from '../../base/tracer.ts'
import type { Decision } from '../commit/commit-item.ts'
import type { CommitQueue } from '../commit/commit-queue.ts'
import type { Routing } from '../routing/routing.ts'
import type { Interpretation } from './interpretation.ts'

export function tracedCommits(commits: CommitQueue, tracer: Tracer | undefined): CommitQueue {
  if (tracer === undefined) return commits
  return {
    ...commits,
    enqueue: (item) => tracer.stage('commit', item.traceContext, () => commits.enqueue(item), outcomeOf),
  }
}

export function tracedInterpretation(interpretation: Interpretation, tracer: Tracer | undefined): Interpretation {
  if (tracer === undefined) return interpretation
  return {
    ...interpretation,
    interpret: (commands, context, options) =>
      tracer.stage('interpret', context.traceContext, () => interpretation.interpret(commands, context, options)),
  }
}

export function tracedRouting(routing: Routing, tracer: Tracer | undefined): Routing {
  if (tracer === undefined) return routing
  return {
    ...routing,
    gather: (route, commands, context) =>
      tracer.stage('gather contracts', context.traceContext, () => routing.gather(route, commands, context)),
  }
}

function outcomeOf(decision: Decision): Outcome {
  if (decision.kind === 'rejected') return { error: failureOf(decision.error) }
  return {
    attributes: { 'tallystick.offset': Number(decision.offset), 'tallystick.update_id': decision.updateId },
  }
}
