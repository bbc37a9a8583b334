import { DatabaseProblem } from '@weir/controlplane/process';
import { StoreError } from '@weir/storage';
import { Failure } from '../failure.ts';

/** The ports that a server command was asked to open, by the flag that says so. */
export type WantedPorts = Readonly<Record<string, number>>;

/**
 * Turns what the user can mend into one line: a port that is taken, by the flag that names it, and a bucket or a database that cannot be
 * used. Anything else is thrown as it is.
 */
export async function explainingStart<T>(ports: WantedPorts, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StoreError) throw new Failure(`-bucketURL: ${error.message}`);
    if (error instanceof DatabaseProblem) throw new Failure(error.message);
    const { code, port } = error as { code?: string; port?: number };
    const flag = Object.keys(ports).find((name) => ports[name] === port);
    if (flag === undefined) throw error;
    if (code === 'EADDRINUSE') throw new Failure(`port ${port} is taken; -${flag} names another`);
    if (code === 'EACCES')
      throw new Failure(`port ${port} may not be opened by this user; -${flag} names another`);
    throw error;
  }
}
