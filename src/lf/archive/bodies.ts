// Expressions on demand. A definition keeps the position of its expression. Reading it follows interned references (LF
// 2.2 and later) with a list of its own, so that their depth costs no stack.

import { readLength, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Body, Expression } from '../syntax/ast.ts'
import { refuse } from './archive-error.ts'
import type { Content } from './content.ts'
import type { Decoding } from './decoding.ts'
import { expression } from './expressions.ts'
import { archiveLimits } from './limits.ts'

/** An expression that is not read yet: where it starts, and how many messages enclose it. */
export type Slice = { readonly start: number; readonly depth: number }

export const slice: Content<Slice> = {
  wireType: wireTypes.bytes,
  read: (decoding) => {
    const start = decoding.position
    decoding.position = readLength(decoding)
    return { start, depth: decoding.depth }
  },
}

/** `what` names the expression in errors, as in `template Iou, signatories`. */
export function bodyOf(decoding: Decoding, slice: Slice, what: string): Body {
  decoding.bodies++
  if (decoding.bodies > archiveLimits.bodiesMax)
    refuse(decoding, `there are more than ${archiveLimits.bodiesMax} bodies`)
  const { module } = decoding
  return () => {
    decoding.module = module
    decoding.place = `package ${decoding.packageId}, module ${module}, ${what}`
    return decoding.isChecking ? readCounted(decoding, slice) : readWhole(decoding, slice)
  }
}

function readCounted(decoding: Decoding, slice: Slice): Expression {
  const found = readAlone(decoding, slice)
  decoding.expressionsRead += decoding.treeNodes
  if (decoding.expressionsRead > archiveLimits.expressionsMax) {
    refuse(decoding, `the package has more than ${archiveLimits.expressionsMax} expressions`)
  }
  return found
}

/** Reads every entry of the table of expressions; their sizes then give the size of a body. */
export function checkExpressionTable(decoding: Decoding): void {
  const { offsets, sizes, entries } = decoding.expressions
  for (let index = 0; index < offsets.length; index++) {
    decoding.place = `package ${decoding.packageId}, interned expression ${index}`
    decoding.expressions.bound = index
    entries.push(readAlone(decoding, { start: offsets[index]!, depth: 0 }))
    sizes.nodes.push(decoding.treeNodes)
    sizes.depths.push(decoding.treeDepth)
  }
  decoding.expressions.bound = offsets.length
}

/** Reads the expression at one position; what it refers to was read and measured before. */
function readAlone(decoding: Decoding, slice: Slice): Expression {
  decoding.treeNodes = 0
  decoding.treeDepth = 0
  const found = readAt(decoding, slice)
  const { flatDepthMax, expressionsMax } = archiveLimits
  if (decoding.treeDepth > flatDepthMax) refuse(decoding, `expressions are nested more than ${flatDepthMax} deep`)
  if (decoding.treeNodes > expressionsMax) refuse(decoding, `an expression has more than ${expressionsMax} parts`)
  return found
}

function readWhole(decoding: Decoding, slice: Slice): Expression {
  const { offsets, read, missing } = decoding.expressions
  read.clear()
  decoding.expressions.bound = offsets.length
  const found = readAt(decoding, slice)
  if (missing.length === 0) return found
  const waiting = [...missing]
  for (let index = waiting.at(-1); index !== undefined; index = waiting.at(-1)) {
    if (!read.has(index)) {
      decoding.expressions.bound = index
      const entry = readAt(decoding, { start: offsets[index]!, depth: 0 })
      if (missing.length > 0) {
        for (const one of missing) waiting.push(one)
        continue
      }
      read.set(index, entry)
    }
    waiting.pop()
  }
  decoding.expressions.bound = offsets.length
  const whole = readAt(decoding, slice)
  read.clear()
  return whole
}

function readAt(decoding: Decoding, slice: Slice): Expression {
  decoding.position = slice.start
  decoding.end = decoding.bytes.length
  decoding.depth = slice.depth
  decoding.expressions.missing.length = 0
  return expression.read(decoding)
}
