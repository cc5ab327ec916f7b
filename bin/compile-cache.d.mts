// Types of compile-cache.mjs.
export declare function keepCompiledCode(): Promise<void>
