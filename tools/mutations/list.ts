// All mutations.
import { checkerMutations } from './checkers.ts'
import { engineMutations } from './engine.ts'
import type { Mutation } from './mutation.ts'

export const mutations: readonly Mutation[] = [...engineMutations, ...checkerMutations]
