import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@weir/api';
import { Metrics, type Random, seededRandom, silentLog, systemClock } from '@weir/core';
import { type ClusterClient, connectCluster } from '@weir/rpc';
import type { Bootstrap } from '../../sim/bootstrap.ts';
import { ConnectionLost } from '../../sim/client.ts';
import type { ClientDeps } from '../../sim/deps.ts';
import { newTally } from '../../sim/tally.ts';
import { BucketServer, wellBucket } from './bucket-server.ts';
import { FaultyProxy, wellNetwork } from './faulty-proxy.ts';
import type { Namespaces } from './namespaces.ts';
import { type SocketBroker, SocketConnection } from './socket-connection.ts';
import { ownProgram, WeirProcess } from './weir-process.ts';

export interface ClusterOptions {
  readonly seed: number;
  /** A SQLite file by default. */
  readonly databaseUrl?: string | undefined;
  /** Folder of the SQLite file and of all other control-plane data. */
  readonly journalFolder?: string | undefined;
  /** Stores objects in this folder instead of the bucket server. */
  readonly bucketFolder?: string | undefined;
  /** Bucket servers; several are one `service_multi://`. One by default. */
  readonly bucketCount?: number | undefined;
  readonly controlPlaneCount: number;
  readonly agentCount: number;
  /** Whether agents run managed pipelines, which may connect to this machine. */
  readonly hasPipelines?: boolean | undefined;
  /** Where processes are; all of them on loopback by default. */
  readonly network?: ClusterNetwork | undefined;
  /** More flags of the agent, or the control plane, of a slot. */
  readonly agentFlags?: ((slot: number) => readonly string[]) | undefined;
  readonly controlPlaneFlags?: ((slot: number) => readonly string[]) | undefined;
  /** The `weir` command that processes begin with; that of this clone by default. */
  readonly program?: string | undefined;
}

/** Processes in namespaces: the number of that of each slot. There are no proxies between them. */
interface ClusterNetwork {
  readonly namespaces: Namespaces;
  readonly agents: readonly number[];
  readonly controlPlanes: readonly number[];
}

export type Kind = 'agent' | 'control plane';

interface Member {
  readonly process: WeirProcess;
  /** Whether it became ready and has not been killed since. */
  isUp: boolean;
}

interface Agent extends Member {
  /** Proxy between clients and the agent. */
  clients: FaultyProxy | undefined;
  /** Proxy between the agent and control planes. */
  readonly controlPlane: FaultyProxy;
  kafkaPort: number;
}

/** What workloads do by the API. */
interface PipelineApi {
  /** Returns the id of the pipeline. */
  deploy(name: string, yaml: string): Promise<string>;
  /** Whether its input has ended. */
  hasEnded(pipelineId: string): Promise<boolean>;
}

const clusterId = 'vci_faults';
const agentKey = `aks_${'c0ffee'.repeat(11).slice(0, 64)}`;
/** Generous, because the machine may be busy; no scenario tests start times. */
const startMsMax = 60_000;
const startsMax = 5;
/** An agent waits for its clients before it stops, which a scenario does not have the time for. */
const gracefulShutdown = '2s';
const stopMsMax = 60_000;
const noteCharactersMax = 200;
const brokerResource = 4;
export const partitionCount = 4;

/** Real processes over a real database and a bucket, with a network between them. Each part can have faults. */
export class FaultCluster implements ClientDeps {
  readonly clock = systemClock;
  readonly random: Random;
  readonly tally = newTally();
  readonly notes: string[] = [];
  readonly scratch = mkdtempSync(join(tmpdir(), 'weir-faults-'));
  /** The first of all buckets. */
  readonly bucket: BucketServer;
  readonly buckets: readonly BucketServer[];
  readonly options: ClusterOptions;
  readonly #startMs = systemClock.monotonicMs();
  readonly #controlPlanes: Member[] = [];
  /**
   * A process restarts on its old port, as behind a DNS name; otherwise clients with only this address would never find
   * it again.
   */
  readonly #controlPlanePorts: number[] = [];
  readonly #kafkaPorts: number[] = [];
  readonly #agents: Agent[] = [];
  /** By slot, the last agent that became ready, alive or not: all of them may be down at a time. */
  readonly #known: SocketBroker[] = [];
  readonly #processes: WeirProcess[] = [];
  readonly #proxies: FaultyProxy[] = [];
  /** By kind and slot, the command of those that were replaced. */
  readonly #programs = new Map<string, string>();
  /** By process, the file with its clock offset. */
  readonly #clockFiles = new Map<string, string>();
  /** How far the clocks of all processes are ahead of this one. */
  #passedMs = 0;
  #bucketUrl = '';
  #problem: unknown;
  #isOver = false;
  #agentStarts = 0;

  constructor(options: ClusterOptions) {
    this.options = options;
    this.random = seededRandom(options.seed);
    this.bucket = new BucketServer(systemClock, seededRandom(options.seed + 1));
    const others = Array.from(
      { length: (options.bucketCount ?? 1) - 1 },
      (_, index) => new BucketServer(systemClock, seededRandom(options.seed + 2 + index)),
    );
    this.buckets = [this.bucket, ...others];
  }

  note(text: string): void {
    const seconds = ((systemClock.monotonicMs() - this.#startMs) / 1_000).toFixed(3);
    this.notes.push(`${seconds.padStart(8)} ${text.slice(0, noteCharactersMax)}`);
  }

  problem(error: unknown): void {
    if (!this.#isOver) this.#problem ??= error;
  }

  async start(): Promise<void> {
    const { bucketFolder, controlPlaneCount, agentCount } = this.options;
    this.#bucketUrl =
      bucketFolder === undefined ? await this.#startBuckets() : pathToFileURL(bucketFolder).href;
    for (let slot = 0; slot < controlPlaneCount; slot++) await this.#startControlPlane(slot);
    await Promise.all(Array.from({ length: agentCount }, (_, slot) => this.#startAgent(slot)));
    this.note('everything is up');
  }

  /** Creates a topic and returns the bootstrap for its clients. */
  async topic(name: string): Promise<Bootstrap> {
    return {
      topicName: name,
      topicId: await this.#createTopic(name),
      partitionCount,
      brokers: () => this.#known,
      connect: (broker) => new SocketConnection(this, broker as SocketBroker),
    };
  }

  /** Sets configs of the cluster. */
  async configure(configs: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(configs).map(([name, value]) => ({ name, value, configOperation: 0 }));
    const connection = new SocketConnection(this, this.#known[0]!);
    try {
      const resources = [{ resourceType: brokerResource, resourceName: '', configs: entries }];
      const body = { resources, validateOnly: false };
      const { responses } = await connection.request('IncrementalAlterConfigs', body, 5_000);
      const { errorCode, errorMessage } = responses[0]!;
      if (errorCode !== 0) throw new Error(`configs were refused: ${errorMessage}`);
    } finally {
      connection.close('');
    }
  }

  /** Bootstrap addresses for clients that use Metadata. */
  get kafkaAddresses(): readonly string[] {
    return this.#agents.map(({ kafkaPort }, slot) => `${this.#hostOf('agent', slot)}:${kafkaPort}`);
  }

  get networkToAgents(): readonly FaultyProxy[] {
    return this.#agents.flatMap(({ clients }) => clients ?? []);
  }

  get networkToControlPlanes(): readonly FaultyProxy[] {
    return this.#agents.map(({ controlPlane }) => controlPlane);
  }

  /** Waits for a condition; fails on a timeout or when a problem was reported. */
  async until(isDone: () => boolean | Promise<boolean>, withinMs: number, what: string): Promise<void> {
    const endMs = systemClock.monotonicMs() + withinMs;
    while (!(await isDone())) {
      if (this.#problem !== undefined) throw this.#problem;
      if (systemClock.monotonicMs() > endMs) throw new Error(`${what}: not within ${withinMs / 1000} s`);
      await this.pause(25);
    }
    if (this.#problem !== undefined) throw this.#problem;
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => systemClock.after(ms, resolve));
  }

  /** Returns the slot of the leading control plane, if any. */
  async leader(): Promise<number | undefined> {
    for (const [slot, port] of this.#controlPlanePorts.entries()) {
      const member = this.#controlPlanes[slot];
      if (member === undefined || !member.isUp || member.process.isPaused) continue;
      try {
        const signal = AbortSignal.timeout(1_000);
        const response = await fetch(`http://${this.#hostOf('control plane', slot)}:${port}/metrics`, {
          signal,
        });
        if (/^service_cluster_leader\{[^}]*\} 1$/m.test(await response.text())) return slot;
      } catch {
        // The process may have been killed in the meantime.
      }
    }
    return undefined;
  }

  /** Whether the process is up, so that a fault can affect it. */
  isUp(kind: Kind, slot: number): boolean {
    const member = this.#member(kind, slot);
    return member.isUp && !member.process.isPaused && !member.process.isGone;
  }

  /** Kills a process and starts another in its place after a while. */
  kill(kind: Kind, slot: number, awayMs: number): void {
    const member = this.#member(kind, slot);
    if (!this.isUp(kind, slot)) return;
    this.note(`${member.process.name} is killed`);
    member.isUp = false;
    if (kind === 'agent') this.tally.agentKills++;
    else this.tally.nodeKills++;
    const restart = async () => {
      await member.process.kill();
      this.#agents[slot]?.process === member.process && this.#agents[slot].clients?.stop();
      await this.pause(awayMs);
      if (this.#isOver) return;
      await (kind === 'agent' ? this.#startAgent(slot) : this.#startControlPlane(slot));
      this.note(`${kind} ${slot} is back`);
    };
    restart().catch((error) => this.problem(error));
  }

  /** Stops a process in order and starts another release in its place, as an upgrade does. */
  async replace(kind: Kind, slot: number, program: string): Promise<void> {
    const member = this.#member(kind, slot);
    this.note(`${member.process.name} is replaced`);
    member.isUp = false;
    await member.process.stop(systemClock, stopMsMax);
    if (kind === 'agent') this.#agents[slot]!.clients?.stop();
    this.#programs.set(`${kind} ${slot}`, program);
    await (kind === 'agent' ? this.#startAgent(slot) : this.#startControlPlane(slot));
    this.note(`${kind} ${slot} runs ${program}`);
  }

  /** Suspends a process for a while (SIGSTOP). */
  suspend(kind: Kind, slot: number, ms: number): void {
    const { process } = this.#member(kind, slot);
    if (!this.isUp(kind, slot)) return;
    this.note(`${process.name} is paused for ${ms} ms`);
    if (kind === 'agent') this.tally.agentPauses++;
    else this.tally.nodePauses++;
    process.pause();
    systemClock.after(ms, () => {
      if (process.isPaused) process.resume();
    });
  }

  /** Kills the processes of an agent that have the threads of pipelines. */
  killPipelineProcesses(slot: number): void {
    const { process: agent } = this.#agents[slot]!;
    if (agent.pid === undefined || !this.isUp('agent', slot)) return;
    const found = childrenOf(agent.pid).filter(({ args }) => args.at(-1) === 'pipelines');
    for (const { pid } of found) process.kill(pid, 'SIGKILL');
    if (found.length > 0) this.note(`${found.length} processes of pipelines of ${agent.name} are killed`);
  }

  /** The API, for the first user. */
  async api(): Promise<PipelineApi> {
    const [member] = this.#controlPlanes;
    const [, token] = await member!.process.printed(/signs up at \S+#(\S+)/, systemClock, startMsMax);
    const url = `http://127.0.0.1:${this.#controlPlanePorts[0]}`;
    const person = {
      account_name: 'Faults',
      email: 'a@example.com',
      name: 'A',
      password: 'correct horse battery',
    };
    const response = await fetch(`${url}/api/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...person }),
    });
    if (response.status !== 200) throw new Error(`the first user was refused: ${await response.text()}`);
    const cookie = response.headers.get('set-cookie')!.split(';', 1)[0]!;
    const client = createClient({ baseUrl: url, fetch, headers: { cookie, origin: url } });
    const cluster = { virtual_cluster_id: clusterId };
    return {
      async deploy(name, yaml) {
        const { pipeline_id } = await client.call('create_pipeline', { ...cluster, pipeline_name: name });
        const place = { ...cluster, pipeline_id };
        const made = await client.call('create_pipeline_configuration', {
          ...place,
          configuration_yaml: yaml,
        });
        await client.call('change_pipeline_state', {
          ...place,
          desired_state: 'running',
          deployed_configuration_id: made.configuration_id,
        });
        return pipeline_id;
      },
      async hasEnded(pipeline_id) {
        const { pipeline_overview } = await client.call('describe_pipeline', { ...cluster, pipeline_id });
        const { instances = [] } = pipeline_overview.run ?? {};
        return instances.length > 0 && instances.every(({ status }) => status === 'done');
      },
    };
  }

  /** Sets the wall clock of a process. */
  shiftClock(kind: Kind, slot: number, aheadMs: number): void {
    const { name } = this.#member(kind, slot).process;
    this.note(`the clock of ${name} is ${aheadMs} ms ahead`);
    writeFileSync(this.#clockFiles.get(name)!, String(this.#passedMs + aheadMs));
  }

  /** The time of the processes, but for clocks that are shifted. */
  get nowMs(): number {
    return systemClock.nowMs() + this.#passedMs;
  }

  /** Sets the wall clocks of all processes, as if that much time had passed. */
  passTime(ms: number): void {
    this.#passedMs += ms;
    this.note(`clocks are set ${ms} ms ahead`);
    for (const file of this.#clockFiles.values()) writeFileSync(file, String(this.#passedMs));
  }

  /** A connection to the control planes as agents have it. */
  connect(): ClusterClient {
    return connectCluster({
      urls: this.#controlPlaneUrls,
      clusterId,
      agentKey: () => agentKey,
      clock: systemClock,
      random: this.random,
      log: silentLog,
      metrics: new Metrics(),
    });
  }

  /** Ends all faults that the cluster controls, and waits until everything is up. */
  async heal(withinMs: number): Promise<void> {
    this.note('no more trouble');
    for (const bucket of this.buckets) bucket.faults = wellBucket;
    for (const proxy of this.#proxies) proxy.faults = wellNetwork;
    this.options.network?.namespaces.heal();
    for (const process of this.#processes) if (process.isPaused) process.resume();
    for (const file of this.#clockFiles.values()) writeFileSync(file, String(this.#passedMs));
    const isWhole = () => [...this.#agents, ...this.#controlPlanes].every(({ isUp }) => isUp);
    await this.until(isWhole, withinMs, 'all processes are back');
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#processes.map((process) => process.kill()));
    for (const proxy of this.#proxies) proxy.stop();
    for (const bucket of this.buckets) bucket.stop();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  /** Returns the notes and the end of each log. */
  report(): string {
    const members = [...this.#controlPlanes, ...this.#agents];
    const logs = members.map(({ process: { name, lines } }) => `--- ${name}\n${lines.join('\n')}`);
    return [...this.notes, ...logs].join('\n');
  }

  async #startBuckets(): Promise<string> {
    const host = this.options.network?.namespaces.address('bucket');
    const urls = await Promise.all(this.buckets.map((bucket) => bucket.start(host)));
    return urls.length === 1 ? urls[0]! : `service_multi://${urls.join('<>')}`;
  }

  #member(kind: Kind, slot: number): Member {
    return kind === 'agent' ? this.#agents[slot]! : this.#controlPlanes[slot]!;
  }

  #hostOf(kind: Kind, slot: number): string {
    const { network } = this.options;
    if (network === undefined) return '127.0.0.1';
    return network.namespaces.address(this.#namespaceOf(network, kind, slot));
  }

  #namespaceOf({ agents, controlPlanes }: ClusterNetwork, kind: Kind, slot: number): number {
    return (kind === 'agent' ? agents : controlPlanes)[slot]!;
  }

  get #controlPlaneUrls(): readonly string[] {
    return this.#controlPlanePorts.map(
      (port, slot) => `http://${this.#hostOf('control plane', slot)}:${port}`,
    );
  }

  async #startControlPlane(slot: number): Promise<void> {
    const { databaseUrl, journalFolder = this.scratch, controlPlaneFlags } = this.options;
    mkdirSync(journalFolder, { recursive: true });
    for (let starts = 1; ; starts++) {
      const process = this.#spawn('control plane', slot, `control plane ${slot}`, [
        'control-plane',
        `-defaultVirtualClusterID=${clusterId}`,
        `-agentKey=${agentKey}`,
        `-databaseURL=${databaseUrl ?? join(journalFolder, 'weir.db')}`,
        `-dataDir=${journalFolder}`,
        `-consolePort=${this.#controlPlanePorts[slot] ?? 0}`,
        `-bindAddress=${this.#hostOf('control plane', slot)}`,
        ...this.#targetFlags(),
        ...(controlPlaneFlags?.(slot) ?? []),
      ]);
      const member: Member = { process, isUp: false };
      this.#controlPlanes[slot] = member;
      try {
        const ready = /control plane {2}http:\/\/[\d.]+:(\d+)/;
        const [, port] = await process.printed(ready, systemClock, startMsMax);
        this.#controlPlanePorts[slot] = Number(port);
        member.isUp = true;
        return;
      } catch (error) {
        // Its database may be unavailable at the moment.
        if (this.#isOver) return;
        if (starts === startsMax) throw error;
        this.note(`${process.name} does not start: ${String(error)}`);
        await process.kill();
        await this.pause(1_000);
      }
    }
  }

  async #startAgent(slot: number): Promise<void> {
    const { network, hasPipelines, agentFlags } = this.options;
    const host = this.#hostOf('agent', slot);
    const controlPlane = await FaultyProxy.tunnels(systemClock);
    this.#proxies.push(controlPlane);
    for (let starts = 1; ; starts++) {
      const number = this.#agentStarts++;
      const process = this.#spawn('agent', slot, `agent ${slot}-${number}`, [
        'agent',
        // Set explicitly, so that the agent does not query a cloud's metadata service.
        `-availabilityZone=zone-${network === undefined ? 'a' : slot}`,
        `-defaultVirtualClusterID=${clusterId}`,
        `-agentKey=${agentKey}`,
        `-metadataURL=${this.#controlPlaneUrls.join(',')}`,
        ...(network === undefined ? [`-httpProxy=http://127.0.0.1:${controlPlane.port}`] : []),
        `-bucketURL=${this.#bucketUrl}`,
        `-bindAddress=${host}`,
        `-kafkaPort=${this.#kafkaPorts[slot] ?? 0}`,
        '-httpPort=0',
        '-batchTimeout=25ms',
        `-gracefulShutdownDuration=${gracefulShutdown}`,
        ...this.#targetFlags(),
        ...(hasPipelines ? ['-enableManagedPipelines'] : []),
        ...(agentFlags?.(slot) ?? []),
      ]);
      const agent: Agent = {
        process,
        isUp: false,
        clients: undefined,
        controlPlane,
        kafkaPort: 0,
      };
      this.#agents[slot] = agent;
      try {
        const ready = /agent (\S+) is ready\n\s+Kafka\s+[\d.]+:(\d+)/;
        const [, agentId, kafkaPort] = await process.printed(ready, systemClock, startMsMax);
        agent.kafkaPort = Number(kafkaPort);
        this.#kafkaPorts[slot] = agent.kafkaPort;
        const address = { host, port: agent.kafkaPort };
        let proxy = address;
        if (network === undefined) {
          agent.clients = await FaultyProxy.toPort(systemClock, () => agent.kafkaPort);
          this.#proxies.push(agent.clients);
          proxy = { host, port: agent.clients.port };
        }
        this.#known[slot] = { agentId: agentId!, address, proxy };
        agent.isUp = true;
        return;
      } catch (error) {
        if (this.#isOver) return;
        if (starts === startsMax) throw error;
        this.note(`${process.name} does not start: ${String(error).split('\n')[0]}`);
        await process.kill();
      }
    }
  }

  #targetFlags(): readonly string[] {
    return this.options.hasPipelines ? ['-allowedTargetHosts=loopback'] : [];
  }

  #spawn(kind: Kind, slot: number, name: string, args: readonly string[]): WeirProcess {
    const clockFile = join(this.scratch, `clock of ${name.replaceAll(' ', '-')}`);
    writeFileSync(clockFile, String(this.#passedMs));
    this.#clockFiles.set(name, clockFile);
    const { network } = this.options;
    const process = new WeirProcess(name, args, {
      through: network?.namespaces.command(this.#namespaceOf(network, kind, slot)),
      program: this.#programs.get(`${kind} ${slot}`) ?? this.options.program ?? ownProgram,
      environment: {
        AWS_ACCESS_KEY_ID: 'faults',
        AWS_SECRET_ACCESS_KEY: 'faults',
        PATH: '/usr/bin:/bin',
        NODE_OPTIONS: `--import=${import.meta.resolve('./shifted-clock.ts')}`,
        WEIR_FAULTS_CLOCK: clockFile,
      },
    });
    this.#processes.push(process);
    return process;
  }

  async #createTopic(name: string): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      const connection = new SocketConnection(this, this.#known[0]!);
      const topic = { name, numPartitions: partitionCount, replicationFactor: -1 };
      const topics = [{ ...topic, assignments: [], configs: [] }];
      try {
        const answer = await connection.request('CreateTopics', { topics, timeoutMs: 5_000 }, 5_000);
        const { errorCode, topicId } = answer.topics[0]!;
        if (errorCode === 0) return topicId;
        if (attempt === 10) throw new Error(`topic ${name} was not created: ${errorCode}`);
      } catch (error) {
        if (!(error instanceof ConnectionLost) || attempt === 10) throw error;
      } finally {
        connection.close('');
      }
      await this.pause(500);
    }
  }
}

/** Children of a process; none where the system does not list processes as Linux does. */
function childrenOf(parent: number): readonly { readonly pid: number; readonly args: readonly string[] }[] {
  let pids: readonly string[] = [];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return pids.flatMap((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (!new RegExp(`^PPid:\\s+${parent}$`, 'm').test(status)) return [];
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
      return [{ pid: Number(pid), args }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}
