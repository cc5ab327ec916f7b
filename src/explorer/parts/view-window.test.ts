import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitted, moved, zoomed } from './view-window.ts'

const picture = { width: 4_000, height: 1_000 }
const frame = { width: 1_000, height: 500 }

test('a large picture fits its frame, a small one is in the middle and not enlarged', () => {
  assert.deepEqual(fitted(picture, frame), { scale: 0.25, x: 0, y: -500 })
  assert.deepEqual(fitted({ width: 200, height: 100 }, frame), { scale: 1, x: -400, y: -200 })
})

test('zooming keeps the place under the pointer', () => {
  const at = { x: 600, y: 250 }
  const before = fitted(picture, frame)
  const after = zoomed(before, 4, at, picture, frame)
  assert.equal(after.scale, 1)
  assert.equal(after.x + at.x / after.scale, before.x + at.x / before.scale)
  assert.equal(after.y + at.y / after.scale, before.y + at.y / before.scale)
})

test('zooming ends where everything is visible, and where letters are large', () => {
  const before = fitted(picture, frame)
  assert.deepEqual(zoomed(before, 0.1, { x: 0, y: 0 }, picture, frame), before)
  assert.equal(zoomed(before, 1_000, { x: 0, y: 0 }, picture, frame).scale, 3)
})

test('moving ends at the edges', () => {
  const near = zoomed(fitted(picture, frame), 4, { x: 0, y: 0 }, picture, frame)
  assert.deepEqual([near.x, near.y], [0, 0])
  assert.equal(moved(near, 100, 50, picture, frame).x, 100)
  assert.deepEqual(moved(near, 1e9, 1e9, picture, frame), { scale: 1, x: 3_000, y: 500 })
  assert.deepEqual(moved(near, -1e9, -1e9, picture, frame), { scale: 1, x: 0, y: 0 })
})
