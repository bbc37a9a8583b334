/** The only access to environment variables; all other code receives this object. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Empty in a browser. */
export const systemEnvironment: Environment = globalThis.process?.env ?? {};
