/**
 * Keeps zod from probing whether it may compile code, which the policy of the console refuses and reports. Its settings
 * live on the global object, so that they can be made without loading it.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
