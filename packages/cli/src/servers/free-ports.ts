import { createServer } from 'node:net';

/** Ports to try after the wanted one. */
const triesMax = 100;
const portMax = 65_535;

/**
 * Replaces ports that are taken by the next free ones, for a command that starts wherever it can. Another process may
 * still take one before this one listens. Port 0 stays: it is any free port.
 */
export async function freePorts<Name extends string>(
  host: string,
  wanted: Readonly<Record<Name, number>>,
): Promise<Readonly<Record<Name, number>>> {
  const found = new Map<string, number>();
  for (const [name, port] of Object.entries<number>(wanted)) {
    found.set(name, await freePort(host, port, new Set(found.values())));
  }
  return Object.fromEntries(found) as Record<Name, number>;
}

async function freePort(host: string, wanted: number, taken: ReadonlySet<number>): Promise<number> {
  if (wanted === 0) return 0;
  for (let port = wanted; port <= Math.min(portMax, wanted + triesMax); port++) {
    if (!taken.has(port) && (await isFree(host, port))) return port;
  }
  return wanted;
}

/** The names of the ports on which no server could listen, because another process does. */
export async function takenPorts<Name extends string>(
  host: string,
  wanted: Readonly<Record<Name, number>>,
): Promise<readonly Name[]> {
  const entries = Object.entries<number>(wanted) as [Name, number][];
  const free = await Promise.all(entries.map(([, port]) => port === 0 || isFree(host, port)));
  return entries.filter((_, index) => !free[index]).map(([name]) => name);
}

/** Whether a server could listen. Errors other than a taken port are left to the server itself, which explains them. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
