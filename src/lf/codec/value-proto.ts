// The numbers of value.proto: which field of Value holds which kind of value.
import { wireTypes } from '../../protobuf/wire-reading.ts'
import type { Shape } from './shapes.ts'

export const valueFields = {
  unit: { number: 1, wireType: wireTypes.bytes },
  bool: { number: 2, wireType: wireTypes.varint },
  int64: { number: 3, wireType: wireTypes.varint },
  date: { number: 4, wireType: wireTypes.varint },
  timestamp: { number: 5, wireType: wireTypes.fixed64 },
  numeric: { number: 6, wireType: wireTypes.bytes },
  party: { number: 7, wireType: wireTypes.bytes },
  text: { number: 8, wireType: wireTypes.bytes },
  'contract-id': { number: 9, wireType: wireTypes.bytes },
  optional: { number: 10, wireType: wireTypes.bytes },
  list: { number: 11, wireType: wireTypes.bytes },
  'gen-map': { number: 12, wireType: wireTypes.bytes },
  record: { number: 13, wireType: wireTypes.bytes },
  variant: { number: 14, wireType: wireTypes.bytes },
  enum: { number: 15, wireType: wireTypes.bytes },
  'text-map': { number: 16, wireType: wireTypes.bytes },
} as const satisfies Record<Shape['kind'], { number: number; wireType: number }>
