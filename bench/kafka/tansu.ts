import type { Broker } from './broker.ts';
import { freePort } from './free-port.ts';
import type { Lifetime } from './lifetime.ts';
import { ServerProcess } from './server-process.ts';

/** Where the program comes from; nothing here builds it. */
export const tansuInstall =
  'cargo install tansu --version 0.6.0 --locked --features dynostore,libsql, with Rust and a quarter of an hour';

/** Log line of a started server. */
const isServing = /^ready in/m;

/** Starts tansu, a broker written in Rust, with its records in memory. */
export async function startTansu(lifetime: Lifetime, program: string): Promise<Broker> {
  const port = await freePort();
  const url = `tcp://127.0.0.1:${port}`;
  const server = await ServerProcess.start(lifetime, {
    name: 'tansu',
    program,
    args: [
      'broker',
      ...['--listener-url', url, '--advertised-listener-url', url],
      ...['--cluster-id', 'bench', '--storage-engine', 'memory://tansu/'],
    ],
    isReady: ({ text }) => isServing.test(text),
  });
  return {
    name: 'tansu',
    servers: `127.0.0.1:${port}`,
    processes: [server],
    restart: () => Promise.reject(new Error('what is in memory does not survive a restart')),
    stop: () => server.stop(),
  };
}
