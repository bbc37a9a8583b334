import type { Broker } from './broker.ts';
import { freePort } from './free-port.ts';
import type { Lifetime } from './lifetime.ts';
import { ServerProcess } from './server-process.ts';

/** How the program is built, with Rust and in a quarter of an hour on two cores; nothing here does it. */
export const tansuInstall = 'cargo install tansu --version 0.6.0 --locked --features dynostore,libsql';

/** Log line of a started server. */
const isServing = /^ready in/m;

/** A bucket of an S3 server on this machine. */
interface TansuStore {
  readonly endpoint: string;
  readonly bucket: string;
}

/** Starts tansu, a broker written in Rust, with its records in memory or in a bucket. */
export async function startTansu(lifetime: Lifetime, program: string, store?: TansuStore): Promise<Broker> {
  const port = await freePort();
  const url = `tcp://127.0.0.1:${port}`;
  const engine = store === undefined ? 'memory://tansu/' : `s3://${store.bucket}/`;
  const server = await ServerProcess.start(lifetime, {
    name: 'tansu',
    program,
    args: [
      'broker',
      ...['--listener-url', url, '--advertised-listener-url', url],
      ...['--cluster-id', 'bench', '--storage-engine', engine],
    ],
    variables:
      store === undefined
        ? {}
        : {
            AWS_ENDPOINT: store.endpoint,
            AWS_ALLOW_HTTP: 'true',
            AWS_REGION: 'eu-west-1',
            AWS_ACCESS_KEY_ID: 'bench',
            AWS_SECRET_ACCESS_KEY: 'bench',
          },
    isReady: ({ text }) => isServing.test(text),
  });
  return {
    name: 'tansu',
    servers: `127.0.0.1:${port}`,
    processes: [server],
    async restart() {
      if (store === undefined) throw new Error('what is in memory does not survive a restart');
      await server.stop();
      return startTansu(lifetime, program, store);
    },
    stop: () => server.stop(),
  };
}
