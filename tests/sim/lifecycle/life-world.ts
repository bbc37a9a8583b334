import {
  type BucketPair,
  bucketFact,
  type CallName,
  ClusterUnavailable,
  clusterFacts,
  writeBucket,
} from '@weir/cluster';
import { type Log, Metrics, type Random, seededRandom, silentLog } from '@weir/core';
import { dropMemoryBucket, ObjectNotFound, type ObjectStore, routedStore } from '@weir/storage';
import { restoreCluster } from '../../../packages/controlplane/src/backup/restore-cluster.ts';
import { MemoryDatabase, MemoryTables } from '../../../packages/journal/src/memory-tables.ts';
import { TableHub } from '../../../packages/journal/src/table-journal.ts';
import { openMemoryStore } from '../../../packages/storage/src/memory/memory-store.ts';
import { type SharedFaults, wellFaults } from '../deps.ts';
import { newTally } from '../tally.ts';
import { checkBucket, checkEnd, watchedBucket } from './bucket-checks.ts';
import { LifeControlPlane } from './control-plane.ts';
import type { LifeDeps } from './deps.ts';
import { type Fate, LifeAgent } from './life-agent.ts';
import { type LifeTally, newLifeTally } from './life-tally.ts';
import { LogProblem } from './log-problem.ts';
import { locateLog, readLog } from './log-reading.ts';
import type { Sabotage } from './sabotage.ts';
import {
  busyMs,
  clusterId,
  dayMs,
  FastCalendar,
  graceMs,
  hourMs,
  minuteMs,
  quietMs,
  scanIntervalMs,
  softDeleteTtlMs,
  timerMs,
} from './setting.ts';
import { TopicLife, type TopicModel } from './topics.ts';
import { TransactionalClient } from './traffic.ts';

interface LifeOptions {
  readonly sabotage?: Sabotage;
  /** How long there is traffic, by the calendar; a month by default. */
  readonly busyMs?: number;
  /** Receives what happens, for the analysis of a failure. */
  readonly onNote?: (line: string) => void;
  readonly log?: Log;
}

export class LifecycleFailed extends Error {
  override readonly name = 'LifecycleFailed';
}

const agentCount = 3;
/** Calls are repeated this often, as the connection of an agent does. */
const callAttempts = 3;
let worlds = 0;

const bucketPhaseMs = 5 * dayMs;
const bucketPhases: readonly BucketPair[] = [
  { ingestion: 0, compaction: 0 },
  { ingestion: 1, compaction: 1 },
  { ingestion: 0, compaction: 0 },
  { ingestion: 0, compaction: 1 },
];

/** Simulates a month of a cluster from a seed. Throws `LifecycleFailed` if a check fails. */
export async function simulateMonth(seed: number, options: LifeOptions = {}): Promise<LifeTally> {
  const world = new LifeWorld(seed, options);
  try {
    await world.run();
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof LogProblem || error instanceof ObjectNotFound)) throw error;
    throw new LifecycleFailed(`seed ${seed}: ${message}; repeat with --seed ${seed}`);
  } finally {
    world.close();
  }
  return world.counts;
}

export class LifeWorld implements LifeDeps {
  readonly clock = new FastCalendar();
  readonly log: Log;
  readonly metrics = new Metrics();
  readonly tally = newTally();
  readonly counts = newLifeTally();
  readonly faults: SharedFaults = { ...wellFaults };
  readonly random: Random;
  /** The buckets of the cluster by number, and all of them as one. */
  readonly buckets: readonly ObjectStore[];
  readonly bucket: ObjectStore;
  readonly topics: TopicLife;
  readonly #bucketNames = [`life-${++worlds}`, `life-${worlds}-second`];
  readonly #options: LifeOptions;
  readonly #sabotage: Sabotage;
  #database = new MemoryDatabase();
  readonly #agents: LifeAgent[] = [];
  readonly #startMs: number;
  #controlPlane: LifeControlPlane;
  #agentNumber = 0;
  #nodeNumber = 0;
  #requestNumber = 0;
  /** Whether things fail. */
  #isTroubled = false;
  #problem: Error | undefined;
  #latestMs = 0;
  #isRestoring = false;

  constructor(seed: number, options: LifeOptions) {
    this.random = seededRandom(seed);
    this.#options = options;
    this.log = options.log ?? silentLog;
    this.#sabotage = options.sabotage ?? {};
    this.#startMs = this.clock.nowMs();
    this.buckets = this.#bucketNames.map((name) => openMemoryStore(name, { clock: this.clock }));
    this.bucket = watchedBucket(
      routedStore({ storeOf: (number) => this.buckets[number]!, isKnown: () => true }),
      () => (this.#controlPlane.leads ? this.#controlPlane.machine : undefined),
      () => this.clock.nowMs(),
      (error) => this.problem(error),
      (count) => {
        this.counts.filesDeleted += count;
      },
    );
    this.topics = new TopicLife(this);
    this.#controlPlane = this.#startControlPlane();
  }

  close(): void {
    this.#controlPlane.kill();
    for (const { process } of this.#agents) process.kill();
    for (const name of this.#bucketNames) dropMemoryBucket(name);
  }

  note(text: string): void {
    const hours = ((this.clock.nowMs() - this.#startMs) / hourMs).toFixed(2);
    this.#options.onNote?.(`${hours} h: ${text}`);
  }

  problem(error: unknown): void {
    this.#problem ??= error as Error;
  }

  get controlPlane(): LifeControlPlane {
    return this.#controlPlane;
  }

  /** An agent that is alive. */
  agent(): LifeAgent {
    const alive = this.#agents.filter(({ process }) => process.runs);
    const some = alive.length > 0 ? alive : this.#agents;
    return some[this.random.below(some.length)]!;
  }

  async run(): Promise<void> {
    await this.#pass(minuteMs * 60);
    await this.#require(
      this.#controlPlane.node.execute({
        kind: 'alterClusterConfigs',
        configs: {
          'service.file.delete.delay.ms': String(this.#sabotage.graceMs ?? graceMs),
          'service.dead.file.scan.interval.ms': String(scanIntervalMs),
          'service.soft.delete.topic.ttl.ms': String(softDeleteTtlMs),
        },
      }),
    );
    const changes = [
      { ...clusterFacts.bucketId, value: Buffer.from('bki_0') },
      { ...bucketFact(1), value: writeBucket({ bucketId: 'bki_1', url: '' }) },
    ];
    await this.#require(this.#controlPlane.node.execute({ kind: 'putEntries', changes }));
    for (let slot = 0; slot < agentCount; slot++) this.#startAgent(slot);
    await this.#require(this.topics.begin());
    this.#isTroubled = true;
    this.#schedule();
    await this.#pass(this.#options.busyMs ?? busyMs);
    this.note('no more traffic and no more trouble');
    this.#isTroubled = false;
    Object.assign(this.faults, wellFaults);
    for (const { process } of this.#agents) process.resume();
    this.topics.end();
    await this.#pass(quietMs);
    await this.#require(this.#audit(this.topics.live()));
    await this.#require(checkEnd(this));
  }

  /** Calls the leader over a network that loses requests and answers, and repeats as real connections do. */
  async callLeader(name: CallName, args: readonly unknown[], attempts = callAttempts): Promise<unknown> {
    // Commits have their own ids, and the others of these are repeated by their callers.
    const isPolled = isAboutJobs(name) || name === 'heartbeat' || name === 'commitFiles';
    const isQuery = isPolled || name === 'findBatches' || name === 'unknownFiles';
    const requestId = isQuery ? undefined : `r${++this.#requestNumber}`;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#callOnce(name, args, requestId);
      } catch (error) {
        if (isPolled || attempt === attempts) throw error;
      }
      await this.wait(1_000);
    }
  }

  async #callOnce(name: CallName, args: readonly unknown[], requestId: string | undefined): Promise<unknown> {
    await this.wait(this.random.next() * this.faults.delayMsMax);
    const lossChance = this.#isTroubled ? 0.01 : 0;
    if (this.random.next() < lossChance) throw new ClusterUnavailable('the request was lost');
    const answer = await this.#controlPlane.call(name, args, requestId);
    if (name === 'declareFilesDead') this.counts.orphansDeclared += (answer as readonly string[]).length;
    if (this.random.next() < lossChance) throw new ClusterUnavailable('the answer was lost');
    return answer;
  }

  /** Waits, by timers. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.after(ms, resolve);
    });
  }

  async #pass(calendarMs: number): Promise<void> {
    await this.clock.pass(timerMs(calendarMs), () => this.#problem !== undefined);
    if (this.#problem !== undefined) throw this.#problem;
  }

  /** Lets time pass until something is done. */
  async #require<Result>(work: Promise<Result>): Promise<Result> {
    const result = await this.clock.until(work);
    if (this.#problem !== undefined) throw this.#problem;
    return result;
  }

  #startControlPlane(): LifeControlPlane {
    const id = `cp${++this.#nodeNumber}`;
    const controlPlane: LifeControlPlane = new LifeControlPlane(this, {
      id,
      database: this.#database,
      bucket: this.bucket,
      sabotage: this.#sabotage,
      onExecuted: (machine, kind, nowMs) => {
        this.#latestMs = Math.max(this.#latestMs, nowMs);
        if (kind !== 'applyRetention' || !controlPlane.process.isAlive) return;
        try {
          this.topics.checkRetention(machine, this.#latestMs);
        } catch (error) {
          this.problem(error);
        }
      },
    });
    return controlPlane;
  }

  #startAgent(slot: number): void {
    this.#agents[slot] = new LifeAgent(this, {
      agentId: `agent-${++this.#agentNumber}`,
      bucket: this.bucket,
      buckets: this.buckets,
      targets: () => this.#targets(),
      callLeader: (name, args) => this.callLeader(name, args),
      generation: () =>
        this.#controlPlane.node
          .record(clusterFacts.generation.namespace, clusterFacts.generation.key)
          ?.toString(),
      fate: (agent, step) => this.#fateOf(agent, step),
      sabotage: this.#sabotage,
    });
  }

  /** The bucket changes every few days, and in the end it is a pair. */
  #targets(): BucketPair {
    const phase = Math.floor((this.clock.nowMs() - this.#startMs) / bucketPhaseMs);
    return bucketPhases[Math.min(phase, bucketPhases.length - 1)]!;
  }

  /** Agents die and stop at steps that have an effect, so that they do so between any two of them. */
  #fateOf(agent: LifeAgent, step: string): Fate {
    if (!this.#isTroubled || isAboutJobs(step)) return { kind: 'goesOn' };
    const roll = this.random.next();
    if (roll < 0.006) {
      const kind = roll < 0.003 ? 'diesBefore' : 'diesAfter';
      this.note(`${agent.agentId} ${kind} ${step}`);
      this.counts.agentCrashes++;
      const slot = this.#agents.indexOf(agent);
      this.clock.after(this.random.next() * timerMs(2 * hourMs), () => this.#startAgent(slot));
      return { kind };
    }
    if (roll < 0.008) {
      const forMs = this.random.next() * timerMs(3 * hourMs);
      this.note(`${agent.agentId} is paused at ${step}`);
      this.counts.agentPauses++;
      return { kind: 'isPaused', forMs };
    }
    return { kind: 'goesOn' };
  }

  #schedule(): void {
    this.#every(2.5 * 24 * hourMs, () => this.#killLeader());
    this.#every(18 * hourMs, () => this.#harmJournal());
    this.#every(6 * 24 * hourMs, () => this.#restore());
    this.#every(8 * hourMs, () => this.#audit(this.topics.live()));
    this.#every(3 * hourMs, () => this.#readSlowly());
    this.#every(12 * hourMs, () => checkBucket(this));
    this.topics.schedule((meanMs, run) => this.#every(meanMs, run));
    for (let client = 0; client < 3; client++) {
      const transactional = new TransactionalClient(this, `tx-${client}`, () => this.agent());
      const next = (): void => {
        if (!this.#isTroubled) return;
        this.clock.after(timerMs(this.random.next() * 3 * hourMs), () => {
          this.topics.transaction(transactional).then(next, (error) => this.problem(error));
        });
      };
      next();
    }
  }

  /** Repeats something at random intervals as long as there is traffic. */
  #every(meanMs: number, run: () => Promise<void> | void): void {
    this.clock.after(timerMs(this.random.next() * 2 * meanMs), () => {
      if (!this.#isTroubled) return;
      this.#every(meanMs, run);
      Promise.resolve()
        .then(run)
        .catch((error) => {
          if (!(error instanceof ClusterUnavailable) && error.name !== 'NotLeader') this.problem(error);
        });
    });
  }

  #killLeader(): void {
    this.note('the leader is killed');
    this.counts.leaderKills++;
    this.#controlPlane.kill();
    this.#controlPlane = this.#startControlPlane();
  }

  /**
   * Restores the cluster from its bucket into another database, while its leader still serves: the leader finds the
   * fence, stores its last entries and ends, so that nothing is lost.
   */
  async #restore(): Promise<void> {
    if (this.#isRestoring || !this.#controlPlane.leads) return;
    this.#isRestoring = true;
    this.note('the cluster is restored from its bucket');
    const old = this.#controlPlane;
    const database = new MemoryDatabase();
    const store = this.#sabotage.restoreStore?.(this.bucket) ?? this.bucket;
    const { isComplete } = await restoreCluster({
      clusterId,
      store,
      hub: new TableHub(new MemoryTables(database), this.clock),
      clock: this.clock,
      // Without an answer the last entries would be lost, so it waits until this leader or the next finds the fence.
      fenceMs: timerMs(20 * 24 * hourMs),
      onStep: (line) => this.note(line),
    });
    if (!isComplete) throw new LogProblem('no leader found the fence of a restore');
    this.counts.restores++;
    if (this.#controlPlane !== old) this.#controlPlane.kill();
    old.kill();
    this.#database = database;
    this.#controlPlane = this.#startControlPlane();
    this.#isRestoring = false;
  }

  #harmJournal(): void {
    this.faults.journalRefuses = this.random.next() * 0.3;
    this.faults.journalLosesAnswer = this.random.next() * 0.2;
    this.clock.after(this.random.next() * timerMs(hourMs), () => {
      this.faults.journalRefuses = 0;
      this.faults.journalLosesAnswer = 0;
    });
  }

  /** Reads topics whole and holds them to the model. */
  async #audit(topics: readonly TopicModel[]): Promise<void> {
    this.counts.audits++;
    for (const { topicId, partitions } of topics) {
      for (const model of partitions) {
        const endMin = model.nextOffset;
        const located = await locateLog((queries) => this.#find(queries), topicId, model.partition);
        // Deleted meanwhile.
        if (located === undefined) break;
        model.check(await readLog(this.bucket, located), endMin, this.clock.nowMs());
      }
    }
  }

  /** Locates a log and reads it later: what it pointed to stays for the grace period. */
  async #readSlowly(): Promise<void> {
    const live = this.topics.live();
    const { topicId, partitions } = live[this.random.below(live.length)]!;
    const { partition } = partitions[this.random.below(partitions.length)]!;
    const located = await locateLog((queries) => this.#find(queries), topicId, partition);
    if (located === undefined) return;
    await this.wait(timerMs(this.random.next() * (graceMs - 10 * minuteMs)));
    await readLog(this.bucket, located);
    this.counts.slowReads++;
  }

  #find(queries: Parameters<LifeControlPlane['node']['findBatches']>[0]) {
    return this.callLeader('findBatches', [queries]) as ReturnType<LifeControlPlane['node']['findBatches']>;
  }
}

function isAboutJobs(step: string): boolean {
  return step === 'claimJobs' || step === 'reportJob' || step === 'reportJobs';
}
