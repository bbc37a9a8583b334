/** Environment variables enter the system here and nowhere else; everything else receives this object. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const systemEnvironment: Environment = process.env;
