import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type RunOptions, runArguments, runLine } from './command-run.ts';

interface LocalCluster {
  readonly port: number;
  /** The address of the schema registry. */
  readonly registryUrl: string;
  /** The address of the control plane, and a key for it. */
  readonly apiUrl: string;
  readonly apiKey: string;
  /** Runs a tool against the cluster. */
  weir(line: string, options?: RunOptions): ReturnType<typeof runLine>;
  /** Runs a command; Kafka tools find the cluster by a variable. */
  run(line: string, options?: RunOptions): ReturnType<typeof runLine>;
  /** Stops it before the test ends. */
  stop(): Promise<void>;
}

type Addresses = Pick<LocalCluster, 'port' | 'registryUrl' | 'apiUrl' | 'apiKey'>;

/**
 * Runs `weir local` in this process on free ports until the test ends; with a directory for its data, `weir
 * playground`.
 */
export async function startLocalCluster(
  t: TestContext,
  flags: readonly string[] = [],
  dataDir?: string,
): Promise<LocalCluster> {
  const stop = new AbortController();
  const { promise: ready, resolve, reject } = Promise.withResolvers<Addresses>();
  let printed = '';
  const argv = [
    ...(dataDir === undefined ? ['local'] : ['playground', '-dataDir', dataDir]),
    '-kafkaPort',
    '0',
    '-httpPort',
    '0',
    '-schemaRegistryPort',
    '0',
    '-consolePort',
    '0',
    '-logLevel',
    'error',
    ...flags,
  ];
  const running = runArguments(argv, {
    stop: stop.signal,
    onOut(text) {
      printed += text;
      const port = /Kafka +localhost:(\d+)/.exec(printed)?.[1];
      const registryUrl = /registry +(https?:\S+)\n/.exec(printed)?.[1];
      const apiUrl = /control plane +(http:\S+)\n/.exec(printed)?.[1];
      const shownKey = /API key +(\S+)\n/.exec(printed)?.[1];
      const apiKey = dataDir === undefined ? shownKey : /Ctrl-C/.test(printed) ? keyIn(dataDir) : undefined;
      if (port !== undefined && registryUrl !== undefined && apiUrl !== undefined && apiKey !== undefined)
        resolve({ port: Number(port), registryUrl, apiUrl, apiKey });
    },
  });
  running.then(({ err }) => reject(new Error(`weir ${argv[0]} has ended: ${err}`)), reject);
  const stopped = async () => {
    stop.abort();
    await running;
  };
  t.after(stopped);
  const addresses = await ready;
  const { port } = addresses;
  return {
    ...addresses,
    weir: (line, options) => runLine(`${line} -bootstrap-port ${port}`, options),
    run: (line, options) =>
      runLine(line, {
        ...options,
        environment: { ...options?.environment, SERVICE_BOOTSTRAP_PORT: String(port) },
      }),
    stop: stopped,
  };
}

function keyIn(dataDir: string): string {
  return JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8')).applicationKey;
}
