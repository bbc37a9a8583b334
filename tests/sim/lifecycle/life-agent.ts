import { testAgent } from '@weir/broker/testing';
import {
  type AgentDescription,
  type BucketPair,
  type CallName,
  callOn,
  clusterFacts,
  portOf,
} from '@weir/cluster';
import { type Clock, type Random, seededRandom } from '@weir/core';
import { aroundStore, type ObjectStore } from '@weir/storage';
import { fileCompaction, type Merge } from '../../../packages/jobs/src/compaction/file-compaction.ts';
import { compactKeys } from '../../../packages/jobs/src/compaction/keys/compact-keys.ts';
import {
  type CompactKeys,
  keyCompaction,
} from '../../../packages/jobs/src/compaction/keys/key-compaction.ts';
import { mergeFiles } from '../../../packages/jobs/src/compaction/merge-files.ts';
import { deadFileScan } from '../../../packages/jobs/src/dead-file-scan.ts';
import { fileDeletion } from '../../../packages/jobs/src/file-deletion.ts';
import type { JobKind } from '../../../packages/jobs/src/job-kind.ts';
import { jobMetrics } from '../../../packages/jobs/src/job-metrics.ts';
import { JobRunner } from '../../../packages/jobs/src/job-runner.ts';
import { restoreCheck } from '../../../packages/jobs/src/restore-check.ts';
import { SimProcess } from '../sim-process.ts';
import type { LifeDeps } from './deps.ts';
import type { Sabotage } from './sabotage.ts';
import {
  agentSkewMsMax,
  clusterId,
  heartbeatIntervalMs,
  hourMs,
  keyLimits,
  mergeLimits,
  timerMs,
} from './setting.ts';

interface LifeAgentOptions {
  readonly agentId: string;
  readonly bucket: ObjectStore;
  /** The buckets behind it, by number. */
  readonly buckets: readonly ObjectStore[];
  /** Where new files go at this moment. */
  readonly targets: () => BucketPair;
  /** Makes a call of the cluster, with the retries of the real connection. */
  readonly callLeader: (name: CallName, args: readonly unknown[]) => Promise<unknown>;
  /** The generation of the cluster, as its control plane says. */
  readonly generation: () => string | undefined;
  /** Draws what happens to the agent at a step. */
  readonly fate: (agent: LifeAgent, step: string) => Fate;
  readonly sabotage: Sabotage;
}

/** It goes on; it dies before or after the step has its effect; it is paused for a time after it. */
export type Fate =
  | { readonly kind: 'goesOn' }
  | { readonly kind: 'diesBefore' }
  | { readonly kind: 'diesAfter' }
  | { readonly kind: 'isPaused'; readonly forMs: number };

const slots = 2;

/** An agent: the real background jobs, and what uploads and commits need. It can die between any two of its steps. */
export class LifeAgent {
  readonly agentId: string;
  readonly process: SimProcess;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: ObjectStore;
  readonly port;
  readonly #world: LifeDeps;
  readonly #options: LifeAgentOptions;
  readonly #runner: JobRunner;
  readonly #buckets: readonly ObjectStore[];

  constructor(world: LifeDeps, options: LifeAgentOptions) {
    this.#world = world;
    this.#options = options;
    this.agentId = options.agentId;
    this.process = new SimProcess(world);
    this.random = seededRandom(world.random.below(2 ** 32));
    const skewMs = Math.floor((world.random.next() - 0.5) * 2 * agentSkewMsMax);
    this.clock = { ...this.process.clock, nowMs: () => world.clock.nowMs() + skewMs };
    const stepwise = (bucket: ObjectStore) =>
      aroundStore(bucket, ({ operation, run, signal }) => this.#step(operation, () => run(signal)));
    this.store = stepwise(options.bucket);
    this.#buckets = options.buckets.map(stepwise);
    this.port = portOf((name, args) => this.#step(name, () => options.callLeader(name, args)));
    this.#runner = this.#jobs();
    this.#runner.start();
    this.#beat();
  }

  /** The number of the bucket for new files. */
  get ingestion(): number {
    return this.#options.targets().ingestion;
  }

  #jobs(): JobRunner {
    const { clock, port, store, random, agentId } = this;
    const { log, metrics, counts } = this.#world;
    const { sabotage, generation } = this.#options;
    const { key } = clusterFacts.generation;
    const records = () => {
      const known = generation();
      return { byKey: new Map(known === undefined ? [] : [[key, Buffer.from(known)]]), version: 0 };
    };
    const buckets = () => this.#buckets.map((bucket, number) => ({ number, open: () => bucket }));
    const output = () => ({ bucket: this.#options.targets().compaction });
    const checkOwner = (signal: AbortSignal) =>
      restoreCheck({ clusterId, view: { records: records as never }, buckets })(signal);
    const merge: Merge = async (plan, options) => {
      const result = await mergeFiles(
        { ...plan, ...output() },
        { ...options, store, random, limits: mergeLimits },
      );
      counts.merges++;
      counts.levelMax = Math.max(counts.levelMax, plan.level);
      return result;
    };
    const compact: CompactKeys = async (plan, options) => {
      const result = await compactKeys(
        { ...plan, ...output() },
        { ...options, store, random, limits: keyLimits },
      );
      counts.keyCompactions++;
      return result;
    };
    const kinds = [
      fileDeletion({ clusterId, port, stores: [store], checkOwner, metrics }),
      deadFileScan({
        clusterId,
        port,
        buckets,
        checkOwner,
        hasTopic: () => true,
        deletes: true,
        clock,
        metrics,
      }),
      fileCompaction({
        clusterId,
        port,
        checkOwner,
        merge: sabotage.merge?.(merge) ?? merge,
        clock,
        metrics,
      }),
      keyCompaction({
        clusterId,
        port,
        checkOwner,
        compact: sabotage.compact?.(compact) ?? compact,
        clock,
        metrics,
      }),
    ];
    return new JobRunner({
      port,
      agentId,
      kinds: kinds.map((kind) => this.#sometimesTwice(sabotage.job?.(kind, this) ?? kind)),
      slots,
      clock,
      log: log.with({ agent: agentId }),
      metrics: jobMetrics(metrics),
    });
  }

  /** A job whose agent fell silent for a while runs again elsewhere, and both have their effects. */
  #sometimesTwice(kind: JobKind): JobKind {
    const { counts, random, wait } = this.#world;
    return {
      ...kind,
      run: async (task, context) => {
        const message = await kind.run(task, context);
        if (random.next() > 0.03) return message;
        counts.jobsRunTwice++;
        await wait.call(this.#world, random.next() * timerMs(hourMs));
        return kind.run(task, context).catch(() => message);
      },
    };
  }

  /** Does one step, unless the agent dies at it. */
  #step<Result>(step: string, run: () => Promise<Result>): Promise<Result> {
    const fate = this.#options.fate(this, step);
    if (fate.kind === 'diesBefore') {
      this.process.kill();
      return new Promise(() => {});
    }
    const result = run();
    if (fate.kind === 'goesOn') return this.process.answer(result);
    if (fate.kind === 'diesAfter') {
      this.process.kill();
      result.catch(() => undefined);
      return new Promise(() => {});
    }
    this.process.pause();
    this.#world.clock.after(fate.forMs, () => this.process.resume());
    return this.process.answer(result);
  }

  #beat(): void {
    // Without a fate: an agent that dies of heartbeats alone shows nothing.
    callOn(
      portOf((name, args) => this.#options.callLeader(name, args)),
      'heartbeat',
      [this.#description()],
    ).catch(() => undefined);
    this.process.clock.after(heartbeatIntervalMs, () => this.#beat());
  }

  #description(): AgentDescription {
    return testAgent(this.agentId, {
      host: this.agentId,
      internalUrl: `http://${this.agentId}:8080`,
    });
  }
}
