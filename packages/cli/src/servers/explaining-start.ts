import { Failure } from '@weir/core';
import { takenPorts } from './free-ports.ts';

/** The requested ports of a server command, by flag. */
type WantedPorts = Readonly<Record<string, number>>;

/**
 * Turns errors that the user can fix into one line: ports in use, by their flags; an address that this machine does not
 * have; a bucket or a database that cannot be used. Other errors are thrown unchanged.
 */
export async function explainingStart<T>(
  ports: WantedPorts,
  start: () => Promise<T>,
  /** The address of all ports, if all of them will be opened: then all that are taken are named at once. */
  host?: string,
): Promise<T> {
  // Asked before the start, when none of them can be taken by this process.
  const taken = host === undefined ? [] : await takenPorts(host, ports);
  if (taken.length > 0) throw new Failure(inUse(taken, ports));
  try {
    return await start();
  } catch (error) {
    // Loaded only now, because benchmarks start a listener and have neither bucket nor database.
    const { StoreError } = await import('@weir/storage');
    const { ClusterRetired, DatabaseProblem } = await import('@weir/controlplane/process');
    if (error instanceof StoreError) throw new Failure(`-bucketURL: ${error.message}`);
    if (error instanceof DatabaseProblem || error instanceof ClusterRetired) throw new Failure(error.message);
    const { code, port, address, syscall } = error as NodeJS.ErrnoException & ListenProblem;
    if (syscall === 'listen' && isWrongAddress(code)) {
      throw new Failure(`-bindAddress: failed to listen on ${address}; use an address of this machine`);
    }
    const flag = Object.keys(ports).find((name) => ports[name] === port);
    if (flag === undefined) throw error;
    if (code === 'EADDRINUSE') throw new Failure(inUse([flag], ports));
    if (code === 'EACCES') throw new Failure(`permission denied for port ${port}; set another with -${flag}`);
    throw error;
  }
}

function inUse(flags: readonly string[], ports: WantedPorts): string {
  const [only, ...others] = flags;
  if (others.length === 0) return `port ${ports[only!]} is in use; set another with -${only}`;
  const numbers = new Intl.ListFormat('en').format(flags.map((flag) => String(ports[flag])));
  const named = new Intl.ListFormat('en').format(flags.map((flag) => `-${flag}`));
  return `ports ${numbers} are in use; set others with ${named}`;
}

interface ListenProblem {
  readonly port?: number;
  readonly address?: string;
}

/** No interface has the address, the machine has none of its family, or it needs the name of an interface. */
function isWrongAddress(code: string | undefined): boolean {
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EINVAL';
}
