import { Failure } from '../failure.ts';

/** The ports that a server command was asked to open, by the flag that says so. */
export type WantedPorts = Readonly<Record<string, number>>;

/** Turns the failure to open a port into a sentence that names its flag. Anything else is thrown as it is. */
export async function explainingPorts<T>(ports: WantedPorts, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code, port } = error as { code?: string; port?: number };
    const flag = Object.keys(ports).find((name) => ports[name] === port);
    if (flag === undefined) throw error;
    if (code === 'EADDRINUSE') throw new Failure(`port ${port} is taken; -${flag} names another`);
    if (code === 'EACCES')
      throw new Failure(`port ${port} may not be opened by this user; -${flag} names another`);
    throw error;
  }
}
