// Types of on-path.mjs, which is JavaScript because every Node from 20 on runs it.
export declare function olderNodeOnPath(): string | undefined
export declare function oldestNodeOnPath(): string | undefined
