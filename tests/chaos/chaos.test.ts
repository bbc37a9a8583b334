import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Random, seededRandom, systemClock, systemRandom } from '@weir/core';
import type { Bootstrap } from '../sim/bootstrap.ts';
import { ConnectionLost } from '../sim/client.ts';
import { GroupWork } from '../sim/group-work.ts';
import { History } from '../sim/history.ts';
import { Producer } from '../sim/producer.ts';
import { Reader } from '../sim/reader.ts';
import type { ClientSurroundings } from '../sim/surroundings.ts';
import { newTally } from '../sim/tally.ts';
import { BucketServer, wellBucket } from './bucket-server.ts';
import { type SocketBroker, SocketConnection } from './socket-connection.ts';
import { WeirProcess } from './weir-process.ts';

/**
 * Real processes over a real database and a bucket behind a socket, killed and paused under load: producers and readers, a
 * group that commits offsets, and one that copies the topic in transactions. The run is bounded:
 * `--seconds 120` makes the trouble longer, `--seed 7` repeats the choices of a run, though not what the machine makes of them.
 */
const option = (name: string): number | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};
const seed = option('--seed') ?? systemRandom.below(2 ** 31);
const troubleMs = 1_000 * (option('--seconds') ?? 20);

// Whoever stops the test stops what it started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const clusterId = 'vci_chaos';
const agentKey = `aks_${'c0ffee'.repeat(11).slice(0, 64)}`;
const topicName = 'chaos';
/** Where transactions write what they read. */
const copyName = 'copy';
const partitionCount = 4;
const controlPlaneCount = 2;
const agentCount = 3;
const startMsMax = 30_000;
const recoveryMsMax = 90_000;
const batchesPerSecond = 15;
const producers = [
  { name: 'idempotent-a', isIdempotent: true, isOrdered: true, requestsInFlightMax: 5 },
  { name: 'idempotent-b', isIdempotent: true, isOrdered: true, requestsInFlightMax: 5 },
  { name: 'idempotent-c', isIdempotent: true, isOrdered: true, requestsInFlightMax: 1 },
  { name: 'plain', isIdempotent: false, isOrdered: false, requestsInFlightMax: 3 },
] as const;

interface Agent {
  readonly process: WeirProcess;
  /** Undefined until it is ready. */
  broker: SocketBroker | undefined;
}

class Chaos implements ClientSurroundings {
  readonly clock = systemClock;
  readonly random: Random;
  readonly tally = newTally();
  readonly notes: string[] = [];
  readonly history = new History(this.tally);
  readonly bucket: BucketServer;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'weir-chaos-'));
  /** Not up yet. On a busy machine a start takes longer than it is until the next harm. */
  readonly #startingControlPlanes = new Set<WeirProcess>();
  readonly #startMs = systemClock.monotonicMs();
  readonly #controlPlanes: WeirProcess[] = [];
  /** A control plane comes back where it was, as it would behind a name. */
  readonly #controlPlanePorts: number[] = [];
  readonly #agents: Agent[] = [];
  /** By slot, the agent that was ready last, living or not: all of them may be gone at a time. */
  readonly #known: SocketBroker[] = [];
  /** All that were ever started. */
  readonly #processes: WeirProcess[] = [];
  #bucketUrl = '';
  #problem: unknown;
  #isTroubled = true;
  #isOver = false;
  #agentStarts = 0;

  constructor() {
    this.random = seededRandom(seed);
    this.bucket = new BucketServer(systemClock, seededRandom(seed + 1));
  }

  note(text: string): void {
    this.notes.push(`${((systemClock.monotonicMs() - this.#startMs) / 1000).toFixed(3).padStart(8)} ${text}`);
  }

  problem(error: unknown): void {
    this.#problem ??= error;
  }

  /** The topic that producers write to, and the one for copies of it. */
  async start(): Promise<readonly [Bootstrap, Bootstrap]> {
    this.#bucketUrl = await this.bucket.start();
    for (let slot = 0; slot < controlPlaneCount; slot++) await this.#startControlPlane(slot);
    await Promise.all(Array.from({ length: agentCount }, (_, slot) => this.#startAgent(slot)));
    return [await this.#topic(topicName), await this.#topic(copyName)];
  }

  async #topic(name: string): Promise<Bootstrap> {
    const brokers = () => this.#known;
    return {
      topicName: name,
      topicId: await this.#createTopic(brokers()[0]!, name),
      partitionCount,
      brokers,
      connect: (broker) => new SocketConnection(this, broker as SocketBroker),
    };
  }

  /** Waits, and fails when a promise was broken meanwhile. */
  async until(isDone: () => boolean, withinMs: number, what: string): Promise<void> {
    const endMs = systemClock.monotonicMs() + withinMs;
    while (!isDone()) {
      if (this.#problem !== undefined) throw this.#problem;
      if (systemClock.monotonicMs() > endMs) throw new Error(`${what}: not within ${withinMs / 1000} s`);
      await this.pause(20);
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => systemClock.after(ms, resolve));
  }

  /** Does harm for a while. */
  async trouble(work: GroupWork): Promise<void> {
    const endMs = systemClock.monotonicMs() + troubleMs;
    while (systemClock.monotonicMs() < endMs && this.#problem === undefined) {
      await this.pause(300 + this.random.below(1_200));
      const roll = this.random.next();
      if (this.random.next() < 0.2) work.replaceCopier();
      if (roll < 0.35) this.#harm('agent', this.random.below(agentCount));
      else if (roll < 0.65) this.#harm('control plane', this.random.below(controlPlaneCount));
      else this.#harmBucket();
    }
    this.note('no more trouble');
    this.#isTroubled = false;
    this.bucket.faults = wellBucket;
    for (const process of this.#processes) if (process.isPaused) process.resume();
    const isWhole = () => this.#agents.every(({ broker }) => broker !== undefined);
    await this.until(isWhole, recoveryMsMax, 'all agents are back');
  }

  async end(): Promise<void> {
    this.#isTroubled = false;
    this.#isOver = true;
    await Promise.all(this.#processes.map((process) => process.kill()));
    this.bucket.stop();
    rmSync(this.#scratch, { recursive: true });
  }

  /** What happened, and the last words of all who live. */
  report(): string {
    const logs = [...this.#controlPlanes, ...this.#agents.map((agent) => agent.process)].map(
      ({ name, lines }) => `--- ${name}\n${lines.join('\n')}`,
    );
    return [`seed ${seed}`, ...this.notes.slice(-60), ...logs].join('\n');
  }

  async #startControlPlane(slot: number): Promise<void> {
    const started = this.#spawn(`control plane ${slot}`, [
      'control-plane',
      `-defaultVirtualClusterID=${clusterId}`,
      `-agentKey=${agentKey}`,
      `-databaseURL=${join(this.#scratch, 'weir.db')}`,
      `-consolePort=${this.#controlPlanePorts[slot] ?? 0}`,
      '-controlPlaneHost=127.0.0.1',
    ]);
    this.#controlPlanes[slot] = started;
    this.#startingControlPlanes.add(started);
    const [, port] = await started.printed(
      /control plane {2}http:\/\/127\.0\.0\.1:(\d+)/,
      systemClock,
      startMsMax,
    );
    this.#startingControlPlanes.delete(started);
    this.#controlPlanePorts[slot] = Number(port);
  }

  async #startAgent(slot: number): Promise<void> {
    const number = this.#agentStarts++;
    // In turn, so that some begin at a standby.
    const port = this.#controlPlanePorts[number % controlPlaneCount];
    const started = this.#spawn(`agent ${slot}-${number}`, [
      'agent',
      // Named, so that it does not ask a cloud where it is.
      '-availabilityZone=zone-a',
      `-defaultVirtualClusterID=${clusterId}`,
      `-agentKey=${agentKey}`,
      `-metadataURL=http://127.0.0.1:${port}`,
      `-bucketURL=${this.#bucketUrl}`,
      '-discoveryKafkaHostnameOverride=127.0.0.1',
      '-kafkaPort=0',
      '-httpPort=0',
      '-batchTimeout=25ms',
    ]);
    const agent: Agent = { process: started, broker: undefined };
    this.#agents[slot] = agent;
    const ready = /agent (\S+) is ready\n\s+Kafka\s+127\.0\.0\.1:(\d+)/;
    try {
      const [, agentId, kafkaPort] = await started.printed(ready, systemClock, recoveryMsMax);
      const address = { host: '127.0.0.1', port: Number(kafkaPort) };
      agent.broker = { agentId: agentId!, address };
      this.#known[slot] = agent.broker;
    } catch (error) {
      if (!this.#isOver && this.#agents[slot] === agent) throw error;
    }
  }

  #spawn(name: string, args: readonly string[]): WeirProcess {
    const environment = { AWS_ACCESS_KEY_ID: 'chaos', AWS_SECRET_ACCESS_KEY: 'chaos', PATH: '/usr/bin:/bin' };
    const started = new WeirProcess(name, args, environment);
    this.#processes.push(started);
    return started;
  }

  async #createTopic(broker: SocketBroker, name: string): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      const connection = new SocketConnection(this, broker);
      const topic = { name, numPartitions: partitionCount, replicationFactor: -1 };
      const topics = [{ ...topic, assignments: [], configs: [] }];
      try {
        const answer = await connection.request('CreateTopics', { topics, timeoutMs: 5_000 }, 5_000);
        const { errorCode, topicId } = answer.topics[0]!;
        if (errorCode === 0) return topicId;
        if (attempt === 10) throw new Error(`the topic was not created: ${errorCode}`);
      } catch (error) {
        if (!(error instanceof ConnectionLost) || attempt === 10) throw error;
      } finally {
        connection.close('');
      }
      await this.pause(500);
    }
  }

  #harm(kind: 'agent' | 'control plane', slot: number): void {
    const victim = kind === 'agent' ? this.#agents[slot]!.process : this.#controlPlanes[slot]!;
    const isUp =
      kind === 'control plane'
        ? !this.#startingControlPlanes.has(victim)
        : this.#agents[slot]!.broker !== undefined;
    if (victim.isPaused || victim.isGone || !isUp) return;
    if (this.random.next() < 0.5) {
      const ms = 200 + this.random.below(5_000);
      this.note(`${victim.name} is paused for ${ms} ms`);
      if (kind === 'agent') this.tally.agentPauses++;
      else this.tally.nodePauses++;
      victim.pause();
      systemClock.after(ms, () => {
        if (victim.isPaused) victim.resume();
      });
      return;
    }
    this.note(`${victim.name} is killed`);
    if (kind === 'agent') {
      this.tally.agentKills++;
      this.#agents[slot] = { process: victim, broker: undefined };
    } else this.tally.nodeKills++;
    const restart = async () => {
      await victim.kill();
      await this.pause(this.random.below(2_000));
      if (this.#isOver) return;
      await (kind === 'agent' ? this.#startAgent(slot) : this.#startControlPlane(slot));
      this.note(`${kind} ${slot} is back`);
    };
    restart().catch((error) => {
      if (!this.#isOver) this.problem(error);
    });
  }

  #harmBucket(): void {
    this.note('the bucket fails and is slow now and then');
    const { random } = this;
    this.bucket.faults = {
      refuses: random.next() * 0.6,
      losesAnswer: random.next() * 0.3,
      slow: random.next() * 0.5,
      slowMs: random.below(3_000),
    };
    systemClock.after(random.below(4_000), () => {
      if (this.#isTroubled) this.bucket.faults = wellBucket;
    });
  }
}

test(`agents and control planes are killed and paused under load, seed ${seed}`, {
  timeout: troubleMs + 2 * startMsMax + 4 * recoveryMsMax,
}, async (context) => {
  const chaos = new Chaos();
  const clients: { stop(): void }[] = [];
  try {
    const [bootstrap, copy] = await chaos.start();
    chaos.note('everything is up');
    const batchCount = Math.ceil((batchesPerSecond * troubleMs) / 1000);
    const all = producers.map(
      (kind) =>
        new Producer(chaos, chaos.history, bootstrap, {
          ...kind,
          batchCount,
          durationMs: troubleMs,
          movesMidway: false,
        }),
    );
    const reader = new Reader(chaos, chaos.history, bootstrap, 'the reader');
    reader.follow();
    const work = new GroupWork(chaos, bootstrap, copy);
    clients.push(reader, work, ...all);
    await chaos.trouble(work);
    await chaos.until(() => all.every(({ isDone }) => isDone), recoveryMsMax, 'everything is acknowledged');
    chaos.note('everything is acknowledged');
    // By then every agent has noticed a dead connection, and follows the cluster over another.
    await chaos.pause(12_000);
    reader.stop();

    const last = new Reader(chaos, chaos.history, bootstrap, 'the last reader');
    clients.push(last);
    let ends: readonly number[] | undefined;
    last.readAll().then(
      (found) => {
        ends = found;
      },
      (error) => chaos.problem(error),
    );
    await chaos.until(() => ends !== undefined, recoveryMsMax, 'everything is read');
    for (const [partition, end] of ends!.entries()) chaos.history.checkPartition(partition, end);
    work.readAgain();
    await chaos.until(() => work.isAt(ends!), recoveryMsMax, 'both groups have come to the end');
    work.check();

    const { agentKills, agentPauses, nodeKills, nodePauses } = chaos.tally;
    assert.ok(agentKills + agentPauses > 0 && nodeKills + nodePauses > 0, 'something was harmed');
    const { refused, lost } = chaos.bucket;
    context.diagnostic(
      JSON.stringify({
        ...chaos.tally,
        ...work.history.counts,
        requestsRefused: refused,
        answersLost: lost,
      }),
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${chaos.report()}`, { cause: error });
  } finally {
    for (const client of clients) client.stop();
    await chaos.end();
  }
});
