/** Environment variables enter the system here and nowhere else; everything else receives this object. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Empty in a browser. */
export const systemEnvironment: Environment = globalThis.process?.env ?? {};
