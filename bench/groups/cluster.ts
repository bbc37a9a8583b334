import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Lifetime } from '../kafka/lifetime.ts';
import { ServerProcess } from '../kafka/server-process.ts';

const bin = join(import.meta.dirname, '../../bin/weir');

/** One control-plane process over SQLite, and some agents, each in a process of its own. */
export interface GroupCluster {
  readonly controlPlane: ServerProcess;
  readonly agents: readonly ServerProcess[];
  /** Kafka address of each agent: `127.0.0.1:40001`. */
  readonly addresses: readonly string[];
}

export interface ClusterToStart {
  readonly agents: number;
  /** Folder for CPU profiles, which the processes write when they stop. No profiles are taken if absent. */
  readonly profileFolder?: string | undefined;
}

export async function startGroupCluster(
  lifetime: Lifetime,
  { agents: agentCount, profileFolder }: ClusterToStart,
): Promise<GroupCluster> {
  const folder = lifetime.folder();
  const identity = [
    ...['-defaultVirtualClusterID', `vci_${randomUUID().replaceAll('-', '_')}`],
    ...['-agentKey', `aks_${randomBytes(32).toString('hex')}`],
  ];
  const variables: Record<string, string> =
    profileFolder === undefined
      ? {}
      : { NODE_OPTIONS: `--cpu-prof --cpu-prof-interval 500 --cpu-prof-dir ${profileFolder}` };
  const start = (label: string, args: readonly string[], sign = '') =>
    ServerProcess.start(lifetime, {
      name: `weir ${args[0]}`,
      program: bin,
      args,
      variables,
      isReady: (server) => server.text.includes(sign) && addressIn(server, label) !== undefined,
    });
  const controlPlane = await start(
    'control plane',
    [
      ...['control-plane', ...identity, '-databaseURL', join(folder, 'weir.db'), '-logLevel', 'info'],
      ...['-consolePort', '0', '-bindAddress', '127.0.0.1'],
    ],
    'started leading cluster',
  );
  const agents = await Promise.all(
    Array.from({ length: agentCount }, () =>
      start('Kafka', [
        ...['agent', ...identity, '-metadataURL', addressIn(controlPlane, 'control plane')!],
        ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href],
        ...['-bindAddress', '127.0.0.1', '-kafkaPort', '0', '-httpPort', '0'],
        ...['-gracefulShutdownDuration', '1s', '-availabilityZone', 'bench'],
      ]),
    ),
  );
  return { controlPlane, agents, addresses: agents.map((agent) => addressIn(agent, 'Kafka')!) };
}

/** Returns the address that a command printed after a label. */
function addressIn({ text }: ServerProcess, label: string): string | undefined {
  return new RegExp(`^ {2}${label} +(\\S+)\n`, 'm').exec(text)?.[1];
}
