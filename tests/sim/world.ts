import type { ClusterPort } from '@weir/cluster';
import { type Clock, type Log, Metrics, type Random, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { aroundStore, dropMemoryBucket, type ObjectStore, type StoreErrorKind } from '@weir/storage';
import { MemoryDatabase } from '../../packages/journal/src/memory-tables.ts';
import { openMemoryStore } from '../../packages/storage/src/memory/memory-store.ts';
import {
  type FaultyStore,
  faultyStore,
  latencyStore,
  logNormalLatency,
} from '../../packages/storage/testing/index.ts';
import { SimAgent } from './agent.ts';
import type { Bootstrap } from './bootstrap.ts';
import { ClientConnection, ConnectionLost } from './client.ts';
import { SimControlPlane } from './control-plane.ts';
import { type Deps, type Region, type SharedFaults, wellFaults } from './deps.ts';
import { GroupWork } from './group-work.ts';
import { History } from './history.ts';
import { LogStartWork } from './log-start-work.ts';
import { Producer } from './producer.ts';
import { Reader } from './reader.ts';
import { SchemaWork } from './schema-work.ts';
import { newTally, type Tally } from './tally.ts';

export interface WorldOptions {
  /** Wraps the agents' cluster port with a bug, to prove that the checks find it. */
  readonly sabotage?: (port: ClusterPort, random: Random, clock: Clock) => ClusterPort;
  /**
   * Whether idempotent producers switch to a new leader while batches to the old one are in flight, as Apache's
   * producer does. A later batch may then be committed before the first of its producer, which can never be written
   * after that; or so many later ones that a retry of an earlier one is no longer recognised.
   */
  readonly movesMidway?: boolean;
  /** Whether groups read the topic and copy it in transactions, which takes longer; by default in every tenth seed. */
  readonly hasGroups?: boolean;
  /** Whether clients use the schema registry; by default in every fifth seed. */
  readonly hasSchemas?: boolean;
  /** Whether records of a topic are deleted while others look for its start; by default in every fifth seed. */
  readonly hasDeletions?: boolean;
  /**
   * How many regions processes are in, of which some are cut off at times; by default one, two in every tenth seed and
   * three in every tenth.
   */
  readonly regionCount?: 1 | 2 | 3;
  readonly log?: Log;
  /** Receives every note at once; otherwise only the last ones are reported at the end. */
  readonly onNote?: (line: string) => void;
}

const topicName = 't';
/** Output topic of the transactions. */
const copyName = 'copy';
/** The topic whose records are deleted. */
const shrinkingName = 'shrinking';
const partitionCount = 3;
/** With three regions there is one in each. */
const nodeCountMin = 2;
const agentCount = 3;
const producers = [
  { name: 'idempotent-a', isIdempotent: true, isOrdered: true, requestsInFlightMax: 5, batchCount: 22 },
  { name: 'idempotent-b', isIdempotent: true, isOrdered: true, requestsInFlightMax: 3, batchCount: 14 },
  { name: 'plain-one', isIdempotent: false, isOrdered: true, requestsInFlightMax: 1, batchCount: 8 },
  { name: 'plain-many', isIdempotent: false, isOrdered: false, requestsInFlightMax: 5, batchCount: 14 },
] as const;
const groupsEverySeeds = 10;
const schemasEverySeeds = 5;
const deletionsEverySeeds = 5;
const regionsEverySeeds = 10;
/** As for processes that are not preferred (ADR 0206). */
const graceMsOfOthers = 500;
const notesMax = 60;
const startMsMax = 30_000;
const troubleMs = 9_000;
/** After this time every agent has detected a dead connection and follows the cluster over a new one. */
const settleMs = 12_000;
const recoveryMsMax = 120_000;

/** A run that violated an invariant. The message has everything that is needed to reproduce it. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed';
}

/** Runs one world from its seed to its end and checks all invariants on the way. */
export async function simulate(seed: number, options: WorldOptions = {}): Promise<Tally> {
  const world = new World(seed, options);
  try {
    await world.run();
    return world.tally;
  } catch (error) {
    const { message, stack } = error as Error;
    const details = error instanceof SimulationFailed ? '' : `\n${stack}`;
    throw new SimulationFailed(
      `seed ${seed}: ${message}\n${world.notes.join('\n')}\nagain with: node tests/sim/sim.test.ts --seed ${seed}${details}`,
      { cause: error },
    );
  } finally {
    world.end();
  }
}

class World implements Deps {
  readonly clock = new HandClock();
  readonly random: Random;
  readonly log: Log;
  readonly metrics = new Metrics();
  readonly tally = newTally();
  readonly faults: SharedFaults = { ...wellFaults };
  readonly notes: string[] = [];
  readonly #options: WorldOptions;
  readonly #history = new History(this.tally);
  readonly #database = new MemoryDatabase();
  readonly #bucketName: string;
  readonly #faultyBucket: FaultyStore;
  readonly #bucket: ObjectStore;
  readonly #nodes: SimControlPlane[] = [];
  readonly #agents: SimAgent[] = [];
  readonly #windowMs: number;
  readonly #hasGroups: boolean;
  readonly #hasSchemas: boolean;
  readonly #hasDeletions: boolean;
  readonly #regionCount: 1 | 2 | 3;
  readonly #nodeCount: number;
  #problem: unknown;
  #starts = 0;
  #terms = 0;
  #isTroubled = true;
  #hasEnded = false;

  constructor(seed: number, options: WorldOptions) {
    this.#options = options;
    this.#hasGroups = options.hasGroups ?? seed % groupsEverySeeds === 0;
    this.#hasSchemas = options.hasSchemas ?? seed % schemasEverySeeds === 1;
    this.#hasDeletions = options.hasDeletions ?? seed % deletionsEverySeeds === 2;
    this.#regionCount = options.regionCount ?? regionCountOf(seed);
    this.#nodeCount = Math.max(nodeCountMin, this.#regionCount);
    this.random = seededRandom(seed);
    this.log = options.log ?? silentLog;
    this.#bucketName = `sim-${seed}`;
    // A window is used with stores that bill per request, and not with others.
    this.#windowMs = this.random.next() < 0.5 ? 0 : 25;
    const { clock, random } = this;
    this.#faultyBucket = faultyStore(openMemoryStore(this.#bucketName, { clock }), {}, { clock, random });
    const latencyMs = logNormalLatency({ medianMs: 15, tail: 8 });
    this.#bucket = this.#counted(latencyStore(this.#faultyBucket, { clock, random, latencyMs }));
  }

  note(text: string): void {
    // Ignores clients that lose their connection after the end of the run.
    if (this.#hasEnded) return;
    const line = `${(this.clock.monotonicMs() / 1000).toFixed(3).padStart(8)} ${text}`;
    this.#options.onNote?.(line);
    if (this.notes.push(line) > notesMax) this.notes.shift();
  }

  problem(error: unknown): void {
    this.#problem ??= error;
  }

  async run(): Promise<void> {
    for (let slot = 0; slot < this.#nodeCount; slot++) this.#startNode(slot, `cp${slot}`);
    for (let slot = 0; slot < agentCount; slot++) this.#startAgent(slot);
    const bootstrap = await this.#within(startMsMax, 'the cluster starts', this.#topic(topicName));
    const work = this.#hasGroups ? await this.#groupWork(bootstrap) : undefined;
    const movesMidway = this.#options.movesMidway ?? false;
    const all = producers.map(
      (kind) => new Producer(this, this.#history, bootstrap, { ...kind, movesMidway, durationMs: troubleMs }),
    );
    const reader = new Reader(this, this.#history, bootstrap, 'the reader');
    reader.follow();
    const schemas = this.#hasSchemas ? new SchemaWork(this, () => this.#agents, troubleMs) : undefined;
    const deletions = this.#hasDeletions ? await this.#logStartWork() : undefined;
    this.#trouble(all, reader, work);
    await this.#pass(() => false, troubleMs);
    this.#heal();
    const isDone = await this.#pass(() => all.every(({ isDone }) => isDone), recoveryMsMax);
    if (!isDone) {
      throw new SimulationFailed(
        `${this.#history.unacknowledged} batches were not acknowledged within ${recoveryMsMax / 1000} s`,
      );
    }
    if (!(await this.#pass(() => schemas?.isDone ?? true, recoveryMsMax)))
      throw new SimulationFailed(`requests about schemas were not answered within ${recoveryMsMax / 1000} s`);
    await this.#pass(() => false, settleMs);
    reader.stop();
    deletions?.stop();
    const ends = await this.#check(bootstrap);
    if (work !== undefined) await this.#checkGroups(work, ends);
    if (schemas !== undefined)
      await this.#within(recoveryMsMax, 'every agent has every schema', schemas.check());
  }

  async #topic(name: string): Promise<Bootstrap> {
    return {
      topicName: name,
      topicId: await this.#createTopic(name),
      partitionCount,
      brokers: () => this.#agents,
      connect: (broker) => new ClientConnection(this, broker as SimAgent),
    };
  }

  async #groupWork(from: Bootstrap): Promise<GroupWork> {
    return new GroupWork(
      this,
      from,
      await this.#within(startMsMax, 'there is a second topic', this.#topic(copyName)),
    );
  }

  async #logStartWork(): Promise<LogStartWork> {
    const topic = this.#topic(shrinkingName);
    return new LogStartWork(this, await this.#within(startMsMax, 'there is a topic to delete from', topic));
  }

  async #checkGroups(work: GroupWork, ends: readonly number[]): Promise<void> {
    work.readAgain();
    const isAtEnd = await this.#pass(() => work.isAt(ends), recoveryMsMax);
    work.stop();
    if (!isAtEnd)
      throw new SimulationFailed(`the groups were not at the end within ${recoveryMsMax / 1000} s`);
    work.check();
    const { transactionsCommitted, transactionsAborted } = work.history.counts;
    this.tally.transactionsCommitted += transactionsCommitted;
    this.tally.transactionsAborted += transactionsAborted;
  }

  end(): void {
    this.#hasEnded = true;
    for (const { process } of [...this.#nodes, ...this.#agents]) process.kill();
    dropMemoryBucket(this.#bucketName);
  }

  async #check(bootstrap: Bootstrap): Promise<readonly number[]> {
    const last = new Reader(this, this.#history, bootstrap, 'the last reader');
    const ends = await this.#within(recoveryMsMax, 'everything is read', last.readAll());
    for (const [partition, end] of ends.entries()) this.#history.checkPartition(partition, end);
    return ends;
  }

  /** Lets time pass. A violated invariant ends the run. */
  async #pass(isDone: () => boolean, ms: number): Promise<boolean> {
    const isEnough = () => this.#problem !== undefined || isDone();
    const result = await this.clock.pass(ms, isEnough);
    if (this.#problem !== undefined) throw this.#problem;
    return result;
  }

  async #within<Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> {
    let result: { readonly value: Result } | undefined;
    work.then(
      (value) => {
        result = { value };
      },
      (error) => this.problem(error),
    );
    await this.#pass(() => result !== undefined, ms);
    if (result === undefined) throw new SimulationFailed(`${what}: not within ${ms / 1000} s`);
    return result.value;
  }

  async #createTopic(name: string): Promise<string> {
    for (;;) {
      const connection = new ClientConnection(this, this.#agents[0]!);
      const topics = [{ name, numPartitions: partitionCount, replicationFactor: -1 }];
      try {
        const answer = await connection.request(
          'CreateTopics',
          { topics: topics.map((topic) => ({ ...topic, assignments: [], configs: [] })), timeoutMs: 5_000 },
          5_000,
        );
        const { errorCode, topicId } = answer.topics[0]!;
        if (errorCode === 0) return topicId;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
      await new Promise<void>((resolve) => this.clock.after(100, resolve));
    }
  }

  #startNode(slot: number, id: string): void {
    const url = urlOf(slot);
    const members = () => Array.from({ length: this.#nodeCount }, (_, index) => urlOf(index));
    const region = this.#regionOf(slot);
    // Those in the region of the database should rather lead.
    const graceMs = region * graceMsOfOthers;
    const started = new SimControlPlane(this, this.#database, id, url, members, region, graceMs);
    started.node.onRole((role) => {
      this.note(`${id} is ${role}`);
      if (role === 'leader' && this.#terms++ > 0) this.tally.failovers++;
    });
    this.#nodes[slot] = started;
  }

  #regionOf(slot: number): Region {
    return (slot % this.#regionCount) as Region;
  }

  #startAgent(slot: number): void {
    const { sabotage } = this.#options;
    this.#agents[slot] = new SimAgent(this, {
      agentId: `agent-${slot}-${this.#starts++}`,
      region: this.#regionOf(slot),
      bucket: this.#bucket,
      windowMs: this.#windowMs,
      // The order differs between agents, so that some connect to the standby first.
      controlPlaneUrls: Array.from({ length: this.#nodeCount }, (_, index) =>
        urlOf((slot + index) % this.#nodeCount),
      ),
      controlPlaneAt: (url) => this.#nodes.find((node) => `${node.url}/` === url),
      sabotage: (port) => sabotage?.(port, this.random, this.clock) ?? port,
    });
  }

  #counted(store: ObjectStore): ObjectStore {
    return aroundStore(store, async ({ operation, run, signal }) => {
      try {
        return await run(signal);
      } catch (error) {
        if (operation === 'put' && /before it began/.test(String(error))) this.tally.putsFailed++;
        if (operation === 'put' && /after it was done/.test(String(error))) this.tally.putsLost++;
        throw error;
      }
    });
  }

  /** Injects faults at random times, often before the cluster has recovered from the previous one. */
  #trouble(all: readonly Producer[], reader: Reader, work: GroupWork | undefined): void {
    this.clock.after(this.random.next() * 1_500, () => {
      if (!this.#isTroubled) return;
      const kinds = [
        () => this.#harmNode(),
        () => this.#harmNode(),
        () => this.#harmAgent(),
        () => this.#harmAgent(),
        () => this.#harmJournal(),
        () => this.#harmBucket(),
        () => this.#harmBucket(),
        () => this.#harmNetwork(all, reader),
        () => this.#harmNetwork(all, reader),
      ];
      if (this.#regionCount > 1)
        kinds.push(
          () => this.#cutRegions(),
          () => this.#cutRegions(),
        );
      kinds[this.random.below(kinds.length)]!();
      this.#harmGroups(work);
      this.#trouble(all, reader, work);
    });
  }

  #harmGroups(work: GroupWork | undefined): void {
    if (work === undefined) return;
    const roll = this.random.next();
    if (roll < 0.2) work.replaceCopier();
    else if (roll < 0.5) work.cut();
  }

  #harmNode(): void {
    // Mostly the leader, because the loss of a standby has little effect.
    const leader = this.#nodes.findIndex(({ leads }) => leads);
    const slot = leader >= 0 && this.random.next() < 0.8 ? leader : this.random.below(this.#nodeCount);
    const node = this.#nodes[slot]!;
    if (!node.process.runs) return;
    const roll = this.random.next();
    if (roll < 0.4) {
      const ms = this.random.next() * 6_000;
      this.note(`${node.url} is paused for ${ms | 0} ms`);
      this.tally.nodePauses++;
      node.process.pause();
      this.clock.after(ms, () => node.process.resume());
    } else if (roll < 0.8) {
      this.note(`${node.url} is killed`);
      this.tally.nodeKills++;
      node.kill(this.random.next() < 0.6);
      this.#startNodeLater(slot);
    } else {
      this.note(`${node.url} is stopped`);
      this.tally.nodeStops++;
      void node.stop();
      this.#startNodeLater(slot);
    }
  }

  #startNodeLater(slot: number): void {
    const stopped = this.#nodes[slot]!;
    // Restarts with the same id or another. A process that has not stopped by then is killed.
    const id = this.random.next() < 0.5 ? `cp${slot}` : `cp${slot}-${this.#starts++}`;
    this.clock.after(2_500 + this.random.next() * 3_000, () => {
      // A second fault replaced the process while it stopped. Two processes at one address would be indistinguishable
      // for agents.
      if (this.#nodes[slot] !== stopped) return;
      if (stopped.process.isAlive) stopped.kill(true);
      this.note(`${urlOf(slot)} starts as ${id}`);
      this.#startNode(slot, id);
    });
  }

  #harmAgent(): void {
    const slot = this.random.below(agentCount);
    const agent = this.#agents[slot]!;
    if (!agent.process.runs) return;
    if (this.random.next() < 0.5) {
      const ms = this.random.next() * 6_500;
      this.note(`${agent.agentId} is paused for ${ms | 0} ms`);
      this.tally.agentPauses++;
      agent.process.pause();
      this.clock.after(ms, () => agent.process.resume());
    } else {
      this.note(`${agent.agentId} is killed`);
      this.tally.agentKills++;
      agent.kill(this.random.next() < 0.6);
      this.clock.after(this.random.next() * 3_000, () => {
        this.#startAgent(slot);
        this.note(`${this.#agents[slot]!.agentId} starts`);
      });
    }
  }

  #harmJournal(): void {
    this.note('the journal fails now and then');
    this.faults.journalRefuses = this.random.next() * 0.5;
    this.faults.journalLosesAnswer = this.random.next() * 0.5;
    this.clock.after(this.random.next() * 3_000, () => {
      this.faults.journalRefuses = 0;
      this.faults.journalLosesAnswer = 0;
    });
  }

  #harmBucket(): void {
    const kinds: StoreErrorKind[] = ['unavailable', 'throttled', 'denied', 'timeout'];
    const kind = kinds[this.random.below(kinds.length)]!;
    this.note(`the bucket is ${kind} now and then`);
    this.#faultyBucket.faults = {
      failBefore: this.random.next() * 0.6,
      failAfter: this.random.next() * 0.4,
      slow: this.random.next() * 0.4,
      slowMs: this.random.next() * 5_000,
      kind,
    };
    this.clock.after(this.random.next() * 3_000, () => {
      this.#faultyBucket.faults = {};
    });
  }

  #cutRegions(): void {
    const ms = this.random.next() * 6_000;
    const cuts = [
      'each',
      ...Array.from({ length: this.#regionCount }, (_, region) => region as Region),
    ] as const;
    const cut = cuts[this.random.below(cuts.length)];
    this.note(`nothing enters or leaves ${cut === 'each' ? 'any region' : `region ${cut}`} for ${ms | 0} ms`);
    this.tally.regionCuts++;
    this.faults.cutRegion = cut;
    for (const agent of this.#agents) agent.silenceCutLinks();
    this.clock.after(ms, () => {
      this.faults.cutRegion = undefined;
    });
  }

  #harmNetwork(all: readonly Producer[], reader: Reader): void {
    const agent = this.#agents[this.random.below(agentCount)]!;
    const roll = this.random.next();
    if (roll < 0.35) {
      this.note(`${agent.agentId} loses its control plane`);
      this.tally.linksCut++;
      agent.cutLinks();
    } else if (roll < 0.5) {
      this.note(`${agent.agentId} hears nothing of its control plane`);
      this.tally.linksSilenced++;
      agent.silenceLinks();
    } else if (roll < 0.8) {
      this.note('a client loses its connections');
      this.tally.clientsCut++;
      all[this.random.below(all.length)]!.cut();
      reader.cut();
    } else {
      this.note('the network is slow');
      this.faults.delayMsMax = this.random.next() * 800;
      this.clock.after(this.random.next() * 3_000, () => {
        this.faults.delayMsMax = wellFaults.delayMsMax;
      });
    }
  }

  #heal(): void {
    this.note('no more trouble');
    this.#isTroubled = false;
    Object.assign(this.faults, wellFaults);
    this.#faultyBucket.faults = {};
    for (const { process } of [...this.#nodes, ...this.#agents]) process.resume();
  }
}

function regionCountOf(seed: number): 1 | 2 | 3 {
  if (seed % regionsEverySeeds === 3) return 2;
  return seed % regionsEverySeeds === 8 ? 3 : 1;
}

function urlOf(slot: number): string {
  return `http://cp${slot}`;
}
