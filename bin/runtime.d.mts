// Types of runtime.mjs, which is JavaScript because every Node from 20 on runs it.
export declare const oldestMajor: number
export declare const muslHint: string
/** Throws an error that says what to do if there is no runtime. */
export declare function runtimePath(root?: string): string
export declare function isMusl(): boolean
