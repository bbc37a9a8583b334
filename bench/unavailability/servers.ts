import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '@weir/core';
import { format, isServing, javaFlags, newClusterId } from '../kafka/apache.ts';
import { freePort } from '../kafka/free-port.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { ServerProcess } from '../kafka/server-process.ts';
import { startWeir } from '../kafka/weir.ts';

export const nodeCount = 3;

/** A process of a cluster that can fail and is started again. */
export interface Victim {
  process: ServerProcess;
  start(): Promise<ServerProcess>;
}

/** Three nodes that serve clients, and what leads them. */
export interface Cluster {
  readonly name: string;
  readonly servers: string;
  readonly nodes: readonly Victim[];
  /** The process that leads now. */
  leader(): Promise<Victim>;
  /** Folders of its buckets, if each object is in several. */
  readonly buckets?: readonly string[];
  /** What is in the region that leads, if there are several. */
  readonly region?: readonly Victim[];
}

async function victim(start: () => Promise<ServerProcess>): Promise<Victim> {
  return { process: await start(), start };
}

const agentKey = `aks_${'c0ffee'.repeat(11).slice(0, 64)}`;

interface WeirClusterOptions {
  /** URL of a PostgreSQL database; SQLite if absent. */
  readonly database?: string | undefined;
  /** Whether each agent is in a region of its own, together with a control plane. */
  readonly hasRegions: boolean;
  /** Whether each object is in two of three buckets at least, which `service_multi://` names. */
  readonly hasBuckets: boolean;
  /** Folder of a log of each process. */
  readonly logs?: string | undefined;
}

const regions = ['east', 'west', 'north'] as const;

/** Three agents and two control planes, or three in as many regions, over a bucket of files. */
export async function startWeirCluster(
  lifetime: Lifetime,
  { database, hasRegions, hasBuckets, logs }: WeirClusterOptions,
): Promise<Cluster> {
  const inRegion = (index: number) => (hasRegions ? ['-multiregion', '-region', regions[index]!] : []);
  const planeCount = hasRegions ? regions.length : 2;
  const folder = lifetime.folder();
  const identity = ['-defaultVirtualClusterID', 'vci_outages', '-agentKey', agentKey];
  const ports = await Promise.all(Array.from({ length: planeCount + nodeCount }, freePort));
  const [planePorts, agentPorts] = [ports.slice(0, planeCount), ports.slice(planeCount)];
  const planeUrls = planePorts.map((port) => `http://127.0.0.1:${port}`);
  const options = (name: string) => ({
    profileFolder: undefined,
    logFile: logs === undefined ? undefined : join(logs, `${name}.log`),
  });
  const buckets = (hasBuckets ? ['bucket-1', 'bucket-2', 'bucket-3'] : ['bucket']).map((name) =>
    join(folder, name),
  );
  const urls = buckets.map((path) => pathToFileURL(path).href);
  const bucketUrl = hasBuckets ? `service_multi://${urls.join('<>')}` : urls[0]!;
  const planes: Victim[] = [];
  for (const [index, port] of planePorts.entries()) {
    const args = [
      ...['control-plane', ...identity, '-databaseURL', database ?? join(folder, 'weir.db')],
      ...['-dataDir', folder, '-consolePort', `${port}`, '-bindAddress', '127.0.0.1'],
      ...inRegion(index),
      ...(logs === undefined ? [] : ['-logLevel', 'info']),
      ...(hasRegions ? ['-regionGroups', `all@${regions.join()}`] : []),
    ];
    planes.push(
      await victim(async () => {
        const plane = await startWeir(
          lifetime,
          args,
          ['control plane'],
          options(`control-plane-${index + 1}`),
        );
        // Until then it could not lead at once: a fault would measure its start.
        while (!(await isReady(planeUrls[index]!)))
          await new Promise<void>((resolve) => systemClock.after(50, resolve));
        return plane;
      }),
    );
  }
  const nodes: Victim[] = [];
  for (const [index, port] of agentPorts.entries()) {
    const args = [
      ...['agent', ...identity, '-metadataURL', planeUrls.join(), '-availabilityZone', 'zone-a'],
      ...['-bucketURL', bucketUrl, '-bindAddress', '127.0.0.1'],
      ...['-kafkaPort', `${port}`, '-httpPort', '0', '-batchTimeout', '50ms'],
      ...inRegion(index),
      ...(logs === undefined ? [] : ['-logLevel', 'info']),
    ];
    nodes.push(await victim(() => startWeir(lifetime, args, ['Kafka'], options(`agent-${index + 1}`))));
  }
  return {
    name: 'Weir',
    servers: agentPorts.map((port) => `127.0.0.1:${port}`).join(),
    nodes,
    ...(hasBuckets ? { buckets } : {}),
    ...(hasRegions ? { region: [planes[0]!, nodes[0]!] } : {}),
    async leader() {
      for (;;) {
        // A new leader says so after a moment.
        await new Promise<void>((resolve) => systemClock.after(50, resolve));
        for (const [index, url] of planeUrls.entries()) {
          if (!planes[index]!.process.isRunning) continue;
          if (await leads(url)) return planes[index]!;
        }
      }
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/ready`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

async function leads(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_000) });
    return /^service_cluster_leader\{[^}]*\} 1$/m.test(await answer.text());
  } catch {
    // It was started a moment ago.
    return false;
  }
}

/**
 * Three nodes of Apache Kafka with both roles, broker and controller. Internal topics have three replicas by default;
 * the topic of the clients gets as many. The heap is smaller than usual, since three share a machine.
 */
export async function startApacheCluster(lifetime: Lifetime, classPath: string): Promise<Cluster> {
  const clusterId = newClusterId();
  const ids = Array.from({ length: nodeCount }, (_, index) => index + 1);
  const ports = await Promise.all(Array.from({ length: 2 * nodeCount }, freePort));
  const controllerOf = (id: number) => `127.0.0.1:${ports[nodeCount + id - 1]}`;
  const addressOf = (id: number) => `127.0.0.1:${ports[id - 1]}`;
  const flags = [
    ...javaFlags.map((flag) => flag.replace(/^-Xm([xs])1G$/, '-Xm$1512M')),
    '-Dorg.slf4j.simpleLogger.log.org.apache.kafka.raft.QuorumState=info',
  ];
  const nodes = await Promise.all(
    ids.map((id) => {
      const folder = lifetime.folder();
      const properties = join(folder, 'server.properties');
      writeFileSync(
        properties,
        [
          'process.roles=broker,controller',
          `node.id=${id}`,
          `controller.quorum.voters=${ids.map((voter) => `${voter}@${controllerOf(voter)}`).join()}`,
          `listeners=PLAINTEXT://${addressOf(id)},CONTROLLER://${controllerOf(id)}`,
          `advertised.listeners=PLAINTEXT://${addressOf(id)}`,
          'inter.broker.listener.name=PLAINTEXT',
          'controller.listener.names=CONTROLLER',
          `log.dirs=${join(folder, 'logs')}`,
          '',
        ].join('\n'),
      );
      format(classPath, properties, clusterId);
      return victim(() =>
        ServerProcess.start(lifetime, {
          name: `Kafka ${id}`,
          program: 'java',
          args: [...flags, '-cp', classPath, 'kafka.Kafka', properties],
          isReady: ({ text }) => text.includes(isServing),
        }),
      );
    }),
  );
  return {
    name: 'Apache Kafka',
    servers: ids.map(addressOf).join(),
    nodes,
    async leader() {
      const epochs = nodes.map(({ process }) => (process.isRunning ? ledEpoch(process.text) : -1));
      return nodes[epochs.indexOf(Math.max(...epochs))]!;
    },
  };
}

/** The last epoch of the quorum that a node began to lead, by its log. */
function ledEpoch(text: string): number {
  const led = [...text.matchAll(/Completed transition to Leader\(.*?\bepoch=(\d+)/g)];
  return Number(led.at(-1)?.[1] ?? -1);
}
