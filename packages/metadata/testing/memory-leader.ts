import type { AgentDescription, CallName, ClusterFollower } from '@weir/cluster';
import { type Clock, Metrics, silentLog } from '@weir/core';
import type { Journal } from '@weir/journal';
import { ClusterMachine, type Command, type ReplyOf } from '@weir/machine';
import { eventMetrics } from '../src/events/event-metrics.ts';
import { jobQueueMetrics } from '../src/jobs/job-queue-metrics.ts';
import { answerCall } from '../src/leader/answer-call.ts';
import { Followers } from '../src/leader/followers.ts';
import type { HeldLease } from '../src/leader/held-lease.ts';
import { commitMetrics } from '../src/leader/leader-metrics.ts';
import { Leadership } from '../src/leader/leadership.ts';
import { defaultSnapshotBytesMin, Replica } from '../src/leader/replica.ts';
import { defaultTiming } from '../src/leader/timing.ts';
import type { TokenBox } from '../src/leader/token-box.ts';
import { queryQueueMetrics } from '../src/queries/query-queue-metrics.ts';
import { SeriesBudget } from '../src/series/series-store.ts';

interface MemoryLeaderOptions {
  readonly clusterId: string;
  readonly clock: Clock;
  /** The agents that the previous leader noted, with their node ids. */
  readonly agents: readonly AgentDescription[];
}

/** The methods that a term uses while its journal is short. */
const forgetfulJournal: Pick<Journal, 'append' | 'leaveNote'> = {
  append: async () => {},
  leaveNote: async () => {},
};

const endlessLease: Pick<
  HeldLease,
  'isValid' | 'isFree' | 'mayAcknowledge' | 'whenKnown' | 'onLost' | 'giveUp'
> = {
  isValid: () => true,
  mayAcknowledge: () => true,
  isFree: () => true,
  whenKnown: (listener) => listener(true),
  onLost() {},
  giveUp() {},
};

/** Seals nothing: sealing keys are those of a control plane. */
const readableTokenBox: TokenBox = {
  seal: async (_, hmac) => Buffer.from(hmac).toString('base64'),
  open: async (tokens) => tokens.map(({ sealedHmac }) => Buffer.from(sealedHmac, 'base64')),
};

/**
 * The leader of a cluster without standbys, lease and journal: it leads from its construction on, and every append
 * succeeds at once. All else is that of a `ClusterNode`.
 */
export class MemoryLeader {
  readonly machine: ClusterMachine;
  readonly #clock: Clock;
  readonly #metrics = new Metrics();
  readonly #followers = new Followers(silentLog);
  readonly #replica: Replica;
  #leadership: Leadership;
  #epoch = 0;
  #idCount = 0;

  constructor({ clusterId, clock, agents }: MemoryLeaderOptions) {
    this.machine = ClusterMachine.empty(clusterId);
    this.#clock = clock;
    this.#replica = new Replica(this.machine, 0, 0);
    this.#leadership = this.#lead(Buffer.from(JSON.stringify(agents)));
  }

  answer(name: CallName, args: readonly unknown[]): Promise<unknown> {
    return answerCall(this.#leadership, name, args, this.freshId);
  }

  /** Executes any command at once; resolves when followers have been sent the changes. */
  execute<C extends Command>(command: C): Promise<ReplyOf<C>> {
    return this.#leadership.pipeline.submit(command);
  }

  follow(follower: ClusterFollower): () => void {
    return this.#followers.add(follower);
  }

  /** Sends another snapshot to all followers, and no earlier change. */
  restartFollowers(): void {
    this.#leadership.serveFollowers();
  }

  /** Replaces the leader by another, which knows only what is durable, and the agents that this one noted. */
  failOver(): void {
    const note = this.#leadership.agents.note();
    this.#leadership.end('another process leads');
    this.#leadership = this.#lead(note);
  }

  #lead(note: Buffer): Leadership {
    const { clusterId } = this.machine;
    const leadership = new Leadership({
      journal: forgetfulJournal as Journal,
      lease: endlessLease as HeldLease,
      epoch: ++this.#epoch,
      replica: this.#replica,
      note,
      clock: this.#clock,
      log: silentLog,
      timing: defaultTiming,
      metrics: commitMetrics(this.#metrics, clusterId),
      queryMetrics: queryQueueMetrics(this.#metrics),
      jobMetrics: jobQueueMetrics(this.#metrics),
      eventMetrics: eventMetrics(this.#metrics, clusterId),
      followers: this.#followers,
      snapshotBytesMin: defaultSnapshotBytesMin,
      hasFiles: true,
      tokenBox: readableTokenBox,
      freshId: this.freshId,
      seriesBudget: new SeriesBudget(),
    });
    leadership.serveFollowers();
    return leadership;
  }

  /** In the format of Kafka's topic ids, and the same in every run. */
  readonly freshId = (): string => {
    const bytes = Buffer.alloc(16, 0x77);
    bytes.writeUInt32BE(++this.#idCount, 12);
    return bytes.toString('base64url');
  };
}
