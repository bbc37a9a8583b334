import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PostgresServer, startPostgres } from '../../tests/interop/postgres/server.ts';
import { Skipped } from '../benchmark.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { ServerProcess } from '../kafka/server-process.ts';

const bin = join(import.meta.dirname, '../../bin/weir');

/** One `weir agent` command, which is several agents with `-processes`. */
export interface AgentCommand {
  readonly server: ServerProcess;
  /** Kafka address of each agent: `127.0.0.1:40001`. */
  readonly addresses: readonly string[];
  readonly httpUrls: readonly string[];
}

/** A control plane over PostgreSQL, and agents as they are added. */
export interface ScaleCluster {
  readonly clusterId: string;
  readonly agentKey: string;
  readonly url: string;
  readonly controlPlane: ServerProcess;
  readonly postgres: PostgresServer;
  /** Over a bucket of files that all agents share, unless it is given. */
  startAgents(flags: readonly string[], bucketUrl?: string): Promise<AgentCommand>;
}

/** Runs the work with a new cluster, and ends everything that was started. */
export async function withScaleCluster<Result>(
  lifetime: Lifetime,
  work: (cluster: ScaleCluster) => Promise<Result>,
): Promise<Result> {
  const postgres = await startPostgres();
  if ('missing' in postgres) throw new Skipped(postgres.missing);
  try {
    return await work(await startOver(lifetime, postgres));
  } finally {
    await postgres.stop();
  }
}

async function startOver(lifetime: Lifetime, postgres: PostgresServer): Promise<ScaleCluster> {
  const folder = lifetime.folder();
  const clusterId = `vci_${randomUUID().replaceAll('-', '_')}`;
  const agentKey = `aks_${randomBytes(32).toString('hex')}`;
  const identity = ['-defaultVirtualClusterID', clusterId, '-agentKey', agentKey];
  const start = (args: readonly string[], isReady: (server: ServerProcess) => boolean) =>
    ServerProcess.start(lifetime, {
      name: `weir ${args[0]}`,
      program: bin,
      args,
      // For the bucket server of the benchmark, which does not check signatures.
      variables: { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' },
      isReady,
    });
  const controlPlane = await start(
    [
      ...[
        'control-plane',
        ...identity,
        '-databaseURL',
        postgres.url,
        '-dataDir',
        folder,
        '-logLevel',
        'info',
      ],
      ...['-consolePort', '0', '-bindAddress', '127.0.0.1'],
    ],
    (server) => server.text.includes('started leading cluster'),
  );
  const url = addressesIn(controlPlane, 'control plane')[0]!;
  return {
    clusterId,
    agentKey,
    url,
    controlPlane,
    postgres,
    async startAgents(flags, bucketUrl = pathToFileURL(join(folder, 'bucket')).href) {
      const server = await start(
        [
          ...['agent', ...identity, '-metadataURL', url, '-bucketURL', bucketUrl, '-logLevel', 'warn'],
          ...['-bindAddress', '127.0.0.1', '-kafkaPort', '0', '-httpPort', '0', '-availabilityZone', 'bench'],
          ...['-gracefulShutdownDuration', '1s', ...flags],
        ],
        // A supervisor prints all addresses at once.
        (started) => addressesIn(started, 'HTTP').length > 0,
      );
      return {
        server,
        addresses: addressesIn(server, 'Kafka'),
        httpUrls: addressesIn(server, 'HTTP'),
      };
    },
  };
}

/** Returns the addresses that a command printed after a label. */
function addressesIn({ text }: ServerProcess, label: string): string[] {
  return [...text.matchAll(new RegExp(`^ {2,}${label} +(\\S+)\n`, 'gm'))].map(([, address]) => address!);
}
