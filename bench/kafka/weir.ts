import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Broker } from './broker.ts';
import type { Lifetime } from './lifetime.ts';
import { ServerProcess } from './server-process.ts';

const bin = join(import.meta.dirname, '../../bin/weir');

export interface WeirOptions {
  /** Folder for CPU profiles; none are taken if absent. Profiling slows down the measured processes. */
  readonly profileFolder: string | undefined;
  /** Further flags of a playground. */
  readonly flags?: readonly string[];
  /** Further flags of Node, as in NODE_OPTIONS. */
  readonly nodeOptions?: string;
  /** The cores that it runs on, as `taskset -c` takes them; all of them if absent. */
  readonly cores?: string | undefined;
  /** What it prints is appended to it. */
  readonly logFile?: string | undefined;
}

export interface Playground extends Broker {
  readonly registryUrl: string;
}

/** `weir playground`: agent and control plane in one process, a bucket of files and SQLite. */
export async function startPlayground(lifetime: Lifetime, options: WeirOptions): Promise<Playground> {
  return startPlaygroundOver(lifetime, lifetime.folder(), options);
}

async function startPlaygroundOver(
  lifetime: Lifetime,
  dataDir: string,
  options: WeirOptions,
): Promise<Playground> {
  const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
  const server = await startWeir(
    lifetime,
    ['playground', '-dataDir', dataDir, ...ports, ...(options.flags ?? [])],
    ['Kafka', 'HTTP', 'registry', 'control plane'],
    options,
  );
  return {
    name: 'Weir',
    servers: addressIn(server, 'Kafka')!,
    registryUrl: addressIn(server, 'registry')!,
    processes: [server],
    metrics: () => metricsOf(server),
    async restart() {
      await server.stop();
      return startPlaygroundOver(lifetime, dataDir, options);
    },
    stop: () => server.stop(),
  };
}

/** `weir local`: everything in one process, without durable data. */
export async function startLocal(lifetime: Lifetime, options: WeirOptions): Promise<Broker> {
  const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
  const args = ['local', ...ports, ...(options.flags ?? [])];
  const server = await startWeir(lifetime, args, ['Kafka', 'HTTP', 'control plane'], options);
  return {
    name: 'Weir',
    servers: addressIn(server, 'Kafka')!,
    processes: [server],
    metrics: () => metricsOf(server),
    async restart() {
      await server.stop();
      return startLocal(lifetime, options);
    },
    stop: () => server.stop(),
  };
}

export interface ClusterToStart extends WeirOptions {
  /** A file bucket by default. */
  readonly bucketUrl?: string;
  /** More flags of the agent. */
  readonly agentFlags?: readonly string[];
}

/** One control-plane process over SQLite, and one agent. */
export interface WeirCluster extends Broker {
  readonly controlPlane: ServerProcess;
  readonly agent: ServerProcess;
  /** Starts another agent and returns its Kafka address. */
  addAgent(): Promise<string>;
  /** The database file. */
  readonly database: string;
  /** The agent's metrics, as text. */
  metrics(): Promise<string>;
  /** Stops the control plane; the agent keeps running and waits for it. */
  stopControlPlane(): Promise<void>;
  startControlPlane(): Promise<ServerProcess>;
  /** Starts another control-plane process over the same database, as a standby. */
  startStandby(): Promise<ServerProcess>;
}

/** Log line of a new leader. */
export const leads = 'started leading cluster';

export async function startCluster(lifetime: Lifetime, options: ClusterToStart): Promise<WeirCluster> {
  const folder = lifetime.folder();
  const database = join(folder, 'weir.db');
  const identity = [
    ...['-defaultVirtualClusterID', `vci_${randomUUID().replaceAll('-', '_')}`],
    ...['-agentKey', `aks_${randomBytes(32).toString('hex')}`],
  ];
  const startControlPlane = (port: string, sign: string) =>
    startWeir(
      lifetime,
      [
        ...['control-plane', ...identity, '-databaseURL', database, '-logLevel', 'info'],
        ...['-consolePort', port, '-bindAddress', '127.0.0.1'],
      ],
      ['control plane'],
      options,
      sign,
    );
  let controlPlane = await startControlPlane('0', leads);
  const metadataUrl = addressIn(controlPlane, 'control plane')!;
  const startAgent = () =>
    startWeir(
      lifetime,
      [
        ...['agent', ...identity, '-metadataURL', metadataUrl, '-availabilityZone', 'bench'],
        ...['-bucketURL', options.bucketUrl ?? pathToFileURL(join(folder, 'bucket')).href],
        ...['-bindAddress', '127.0.0.1', '-kafkaPort', '0', '-httpPort', '0'],
        ...['-gracefulShutdownDuration', '1s', ...(options.agentFlags ?? [])],
      ],
      ['Kafka', 'HTTP'],
      options,
    );

  return describe(await startAgent());

  function describe(agent: ServerProcess): WeirCluster {
    return {
      name: 'Weir',
      servers: addressIn(agent, 'Kafka')!,
      get processes() {
        return [agent, controlPlane];
      },
      get controlPlane() {
        return controlPlane;
      },
      agent,
      addAgent: async () => addressIn(await startAgent(), 'Kafka')!,
      database,
      metrics: () => metricsOf(agent),
      stopControlPlane: () => controlPlane.stop(),
      async startControlPlane() {
        controlPlane = await startControlPlane(new URL(metadataUrl).port, leads);
        return controlPlane;
      },
      startStandby: () => startControlPlane('0', ''),
      /** Restarts only the agent, which has the cache; the control plane keeps running. */
      async restart() {
        await agent.stop();
        return describe(await startAgent());
      },
      async stop() {
        await agent.stop();
        await controlPlane.stop();
      },
    };
  }
}

type Label = 'Kafka' | 'HTTP' | 'registry' | 'control plane';

/** Starts a command of Weir and waits until it has printed its addresses and the sign. */
export function startWeir(
  lifetime: Lifetime,
  args: readonly string[],
  labels: readonly Label[],
  { profileFolder, nodeOptions, cores, logFile }: WeirOptions,
  sign = '',
): Promise<ServerProcess> {
  return ServerProcess.start(lifetime, {
    name: `weir ${args[0]}`,
    // It becomes what it starts, so that the process is the server.
    program: cores === undefined ? bin : 'taskset',
    args: [...(cores === undefined ? [] : ['-c', cores, bin]), ...args],
    variables: {
      // For the harness's bucket server, which does not check signatures.
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      NODE_OPTIONS: [
        ...(nodeOptions === undefined ? [] : [nodeOptions]),
        ...(profileFolder === undefined
          ? []
          : [`--cpu-prof --cpu-prof-interval 500 --cpu-prof-dir ${profileFolder}`]),
      ].join(' '),
    },
    logFile,
    isReady: (server) =>
      server.text.includes(sign) && labels.every((label) => addressIn(server, label) !== undefined),
  });
}

async function metricsOf(server: ServerProcess): Promise<string> {
  return (await fetch(`${addressIn(server, 'HTTP')}/metrics`)).text();
}

/** Returns the address that a command printed after a label. */
export function addressIn({ text }: ServerProcess, label: Label): string | undefined {
  return new RegExp(`^ {2}${label} +(\\S+)\n`, 'm').exec(text)?.[1];
}
