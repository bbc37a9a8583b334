import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, systemClock, systemEnvironment } from '@weir/core';
import type { DialTarget } from '../../../packages/rpc/src/channel/channel.ts';
import { dialWebSocket } from '../../../packages/rpc/src/channel/web-socket.ts';
import { readServerHello } from '../../../packages/rpc/src/frames/bodies.ts';
import { decodeFrame, replyLimits } from '../../../packages/rpc/src/frames/frame.ts';
import type { Frame } from '../../../packages/rpc/src/frames/frame-kinds.ts';
import { servingVariables } from '../serving-variables.ts';
import { within } from './waiting.ts';

const bin = join(import.meta.dirname, '../../../bin/weir');

/** The owner of what a helper starts: the context of a test, or `{ after }` of node:test for a whole file. */
export interface Lifetime {
  after(cleanUp: () => Promise<void>): void;
}

/** A running `weir` command, as a user would start it. */
export interface WeirProcess {
  readonly pid: number;
  /** Resolves to its exit status, or the signal that ended it. */
  readonly ended: Promise<string>;
  /** Output so far, for failure messages. */
  readonly output: { readonly out: string; readonly err: string };
  /** Returns the address that it printed after a label. */
  address(label: Label): string;
  /** Stops it with SIGTERM and waits. It must end by itself, without an error. */
  stop(): Promise<void>;
  /** Kills it, as a machine crash would. */
  kill(): Promise<void>;
}

type Label = 'Kafka' | 'HTTP' | 'registry' | 'control plane';

/** Generous, because the machine may be busy with all other tests. No test measures this time. */
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 30_000;
const announcedPollMs = 50;

/** Starts a command and waits until it has printed its addresses. The program is that of this clone by default. */
export async function startWeir(
  args: readonly string[],
  labels: readonly Label[],
  variables: Environment = {},
  program = bin,
): Promise<WeirProcess> {
  const { PATH } = systemEnvironment;
  // Environment variables of the test machine must not configure the process under test, and its home stays clean.
  const child = spawn(program, args, {
    env: { PATH, ...servingVariables(args), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`${signal ?? code}`));
  });
  const addressOf = (label: Label) => new RegExp(`^ {2}${label} +(\\S+)\n`, 'm').exec(output.out)?.[1];
  const isReady = new Promise<true>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.out += text;
      if (labels.every((label) => addressOf(label) !== undefined)) resolve(true);
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const failure = (what: string) =>
    new Error(`weir ${args[0]} ${what}; it said:\n${output.out}${output.err.slice(-20_000)}`);

  const first = await within(readyTimeoutMs, Promise.race([isReady, ended]));
  if (first !== true) {
    await killed(child, ended);
    throw failure(first === undefined ? 'was not ready in time' : `ended with ${first} at the start`);
  }
  return {
    pid: child.pid!,
    ended,
    output,
    address: (label) => addressOf(label)!,
    async stop() {
      if (!isRunning(child)) return;
      child.kill('SIGTERM');
      const status = await within(stopTimeoutMs, ended);
      if (status === undefined) await killed(child, ended);
      if (status !== '0') throw failure(`ended with ${status ?? 'SIGKILL, for it did not stop'} on SIGTERM`);
    },
    kill: () => killed(child, ended),
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function killed(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/**
 * Runs clean-up in reverse order, because a directory has to outlive the processes that write to it. node:test runs it
 * in order.
 */
export function lastFirst(lifetime: Lifetime): Lifetime {
  const cleanUps: (() => Promise<void>)[] = [];
  lifetime.after(async () => {
    const failures: unknown[] = [];
    for (const cleanUp of cleanUps.reverse()) await cleanUp().catch((failure) => failures.push(failure));
    throwAll(failures);
  });
  return { after: (cleanUp) => void cleanUps.push(cleanUp) };
}

function throwAll(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
}

export function temporaryFolder(lifetime: Lifetime): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-brokers-'));
  lifetime.after(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const anyPorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
const selfContainedLabels: readonly Label[] = ['Kafka', 'HTTP', 'registry', 'control plane'];

/** Starts `weir local` on free ports. */
export async function startLocal(
  lifetime: Lifetime,
  flags: readonly string[] = [],
  variables: Environment = {},
): Promise<WeirProcess> {
  const local = await startWeir(['local', ...anyPorts, ...flags], selfContainedLabels, variables);
  lifetime.after(() => local.stop());
  return local;
}

/** Starts `weir playground` over a directory, which another one may use after the first has ended. */
export async function startPlayground(
  lifetime: Lifetime,
  dataDir: string,
  variables: Environment = {},
): Promise<WeirProcess> {
  const playground = await startWeir(
    ['playground', '-dataDir', dataDir, ...anyPorts],
    selfContainedLabels,
    variables,
  );
  lifetime.after(() => playground.stop());
  return playground;
}

interface AgentToStart {
  readonly zone: string;
  readonly group?: string;
  /** Index of the control plane whose address it is given; the first by default. */
  readonly controlPlane?: number | 'all';
  /** Further flags. */
  readonly flags?: readonly string[];
}

export interface ClusterToStart {
  readonly agents: readonly AgentToStart[];
  readonly controlPlanes: number;
  /** A new SQLite file by default. */
  readonly databaseUrl?: string;
  /** A new directory by default. */
  readonly bucketUrl?: string;
  /** Further flags of every control plane. */
  readonly controlPlaneFlags?: readonly string[];
  /** Environment of the agents, for credentials. */
  readonly variables?: Environment;
}

export interface Cluster {
  readonly clusterId: string;
  /** Folder of the default bucket. */
  readonly bucketFolder: string;
  /** Returns the flags of one more agent, for tests that start it themselves. */
  agentFlags(agent: AgentToStart): readonly string[];
  readonly controlPlanes: readonly WeirProcess[];
  /** In the requested order. */
  readonly agents: readonly WeirProcess[];
  /** Starts one more agent. */
  addAgent(agent: AgentToStart): Promise<WeirProcess>;
  /** Starts a control-plane process at the address of one that has ended. */
  restartControlPlane(index: number): Promise<WeirProcess>;
}

/**
 * Starts control-plane processes over one database and agents over one bucket, each in a separate process. The first
 * control plane leads, and agents know all of them from the start.
 */
export async function startCluster(
  lifetime: Lifetime,
  { agents, controlPlanes, controlPlaneFlags = [], databaseUrl, bucketUrl, variables }: ClusterToStart,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-brokers-'));
  const clusterId = `vci_${randomUUID().replaceAll('-', '_')}`;
  const agentKey = `aks_${randomBytes(32).toString('hex')}`;
  const identity = ['-defaultVirtualClusterID', clusterId, '-agentKey', agentKey];
  const processes: { readonly controlPlanes: WeirProcess[]; readonly agents: WeirProcess[] } = {
    controlPlanes: [],
    agents: [],
  };
  lifetime.after(async () => {
    // Agents first, because they deregister with the control plane.
    const stopped = await Promise.allSettled(processes.agents.map((agent) => agent.stop()));
    stopped.push(...(await Promise.allSettled(processes.controlPlanes.map((plane) => plane.stop()))));
    rmSync(folder, { recursive: true, force: true });
    throwAll(stopped.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])));
  });

  const startControlPlane = (port: string) =>
    startWeir(
      [
        'control-plane',
        ...identity,
        ...['-databaseURL', databaseUrl ?? join(folder, 'weir.db')],
        ...['-dataDir', folder, '-bindAddress', '127.0.0.1', '-consolePort', port],
        ...controlPlaneFlags,
      ],
      ['control plane'],
    );
  const bucketFolder = join(folder, 'bucket');
  const agentFlags = ({ zone, group, controlPlane = 0, flags = [] }: AgentToStart) => [
    'agent',
    ...identity,
    '-metadataURL',
    processes.controlPlanes
      .filter((_, index) => controlPlane === 'all' || controlPlane === index)
      .map((process) => process.address('control plane'))
      .join(),
    ...(flags.includes('-bucketURL') || flags.includes('-ingestionBucketURL')
      ? []
      : ['-bucketURL', bucketUrl ?? pathToFileURL(bucketFolder).href]),
    ...['-availabilityZone', zone, '-bindAddress', '127.0.0.1'],
    ...(flags.includes('-kafkaPort') ? [] : ['-kafkaPort', '0']),
    ...['-httpPort', '0'],
    ...(flags.includes('-gracefulShutdownDuration') ? [] : ['-gracefulShutdownDuration', '5s']),
    ...(group === undefined ? [] : ['-agentGroup', group]),
    ...flags,
  ];
  const startAgent = (toStart: AgentToStart) => startWeir(agentFlags(toStart), ['Kafka', 'HTTP'], variables);
  const addAgent = async (toStart: AgentToStart) => {
    const agent = await startAgent(toStart);
    processes.agents.push(agent);
    return agent;
  };

  // The first leads, so the others start after it.
  if (controlPlanes > 0) processes.controlPlanes.push(await startControlPlane('0'));
  if (controlPlanes > 1) {
    const others = Array.from({ length: controlPlanes - 1 }, () => startControlPlane('0'));
    await addStarted(processes.controlPlanes, others);
    const url = processes.controlPlanes[0]!.address('control plane');
    await untilAnnounced(controlPlanes, { url, clusterId, agentKey });
  }
  await addStarted(processes.agents, agents.map(startAgent));
  return {
    clusterId,
    bucketFolder,
    ...processes,
    agentFlags,
    addAgent,
    async restartControlPlane(index) {
      const { port } = new URL(processes.controlPlanes[index]!.address('control plane'));
      const restarted = await startControlPlane(port);
      processes.controlPlanes[index] = restarted;
      return restarted;
    },
  };
}

/** Adds processes that start at the same time in their order, also if some of them fail, so that all are stopped. */
async function addStarted(list: WeirProcess[], starting: readonly Promise<WeirProcess>[]): Promise<void> {
  const results = await Promise.allSettled(starting);
  list.push(...results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  throwAll(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])));
}

/** Waits until a control plane announces this many processes to agents. It also announces them to later agents. */
async function untilAnnounced(count: number, { url, clusterId, agentKey }: Omit<DialTarget, 'signal'>) {
  const { signal } = new AbortController();
  for (;;) {
    const channel = await dialWebSocket({ url, clusterId, agentKey, signal });
    const { body } = await new Promise<Frame>((resolve, reject) => {
      channel.listen({
        onFrame: (bytes) => resolve(decodeFrame(bytes, replyLimits)),
        onEnd: (_code, reason) => reject(new Error(`${url}: ${reason}`)),
      });
    }).finally(() => channel.abort());
    if (readServerHello(body).members.length >= count) return;
    await new Promise<void>((resolve) => systemClock.after(announcedPollMs, resolve));
  }
}
