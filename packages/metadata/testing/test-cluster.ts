import {
  type AgentDescription,
  type AgentHeartbeat,
  type AgentReport,
  type ArgsOf,
  type CallName,
  type ClusterFollower,
  type ClusterPort,
  ClusterUnavailable,
  callPortClass,
  type TopicDescription,
} from '@weir/cluster';
import { callNames } from '@weir/cluster/testing';
import { HandClock } from '@weir/core/testing';
import type { Command, Namespace } from '@weir/machine';
import { MemoryLeader } from './memory-leader.ts';

export interface TestClusterOptions {
  readonly clusterId?: string;
  readonly clusterConfigs?: Readonly<Record<string, string>>;
  /** Agents that are listed from the start, with their node ids. */
  readonly agents?: readonly AgentDescription[];
  /** The time of the leader. By default it stands still until the test advances it, so nothing expires. */
  readonly clock?: HandClock;
}

interface Following {
  /** Deliveries that the test holds back. */
  readonly held: (() => void)[];
}

/**
 * A cluster with its real leader, in this process and without storage. Tests set it up without waiting, count its
 * calls, and make its calls and its stream fail.
 */
export class TestCluster extends callPortClass() implements ClusterPort {
  readonly clusterId: string;
  readonly clock: HandClock;
  /** While true, every call rejects with `ClusterUnavailable`, without effect. */
  unavailable = false;
  /** Wraps every call: may delay it, refuse it, or lose its answer. */
  around: (name: CallName, proceed: () => Promise<unknown>) => Promise<unknown> = (_, proceed) => proceed();
  /** How often each call was made. */
  readonly calls = Object.fromEntries(callNames.map((name) => [name, 0])) as Record<CallName, number>;
  /** The reports of agents that arrived. */
  readonly reports: AgentReport[] = [];
  readonly #leader: MemoryLeader;
  readonly #following = new Set<Following>();
  #isStreamHeld = false;

  constructor(options: TestClusterOptions = {}) {
    super((name, args) => this.#call(name, args));
    const { clusterId = 'vci_test', clusterConfigs = {}, agents = [], clock = new HandClock() } = options;
    this.clusterId = clusterId;
    this.clock = clock;
    this.#leader = new MemoryLeader({ clusterId, clock, agents });
    this.#setUp({ kind: 'alterClusterConfigs', configs: clusterConfigs });
  }

  async #call(name: CallName, args: readonly unknown[]): Promise<unknown> {
    this.calls[name]++;
    if (this.unavailable) throw new ClusterUnavailable('the test said so');
    return this.around(name, () => {
      if (name === 'heartbeat') this.#noteReport(...(args as ArgsOf<'heartbeat'>));
      return this.#leader.answer(name, args);
    });
  }

  #noteReport({ report }: AgentHeartbeat): void {
    if (report !== undefined) this.reports.push(report);
  }

  // --- set-up, complete when the method returns; followers learn of it soon ---

  addTopic(
    name: string,
    partitionCount = 1,
    configs: Readonly<Record<string, string>> = {},
  ): TopicDescription {
    const topicIds = [this.#leader.freshId()];
    const topics = [{ name, partitionCount, configs }];
    this.#setUp({ kind: 'createTopics', topics, topicIds, validateOnly: false });
    return this.#leader.machine.topicById(topicIds[0]!)!;
  }

  /** Puts an entry as JSON, or removes it with `null`. */
  putRecord(namespace: Namespace, key: string, value: object | null): void {
    const bytes = value === null ? null : Buffer.from(JSON.stringify(value));
    this.#setUp({ kind: 'putEntries', changes: [{ namespace, key, value: bytes }] });
  }

  deleteRecordsBefore(topicId: string, partition: number, offset: number): void {
    this.#setUp({ kind: 'deleteRecords', partitions: [{ topicId, partition, offset }] });
  }

  /** The machine decides at once. A refusal is an unhandled error, which fails the test. */
  #setUp(command: Command): void {
    void this.#leader.execute(command).then((reply) => {
      const results = [reply].flat() as { readonly error: string; readonly message?: string | null }[];
      for (const { error, message } of results)
        if (error !== 'NONE') throw new Error(`${command.kind}: ${error}: ${message}`);
    });
  }

  // --- the stream, and the leader behind it ---

  follow(follower: ClusterFollower): () => void {
    const following: Following = { held: [] };
    const deliver = (delivery: () => void) => {
      if (this.#isStreamHeld) following.held.push(delivery);
      else delivery();
    };
    const unfollow = this.#leader.follow({
      onSnapshot: (snapshot) => deliver(() => follower.onSnapshot(snapshot)),
      onChanges: (changes) => deliver(() => follower.onChanges(changes)),
    });
    this.#following.add(following);
    return () => {
      unfollow();
      this.#following.delete(following);
    };
  }

  get followerCount(): number {
    return this.#following.size;
  }

  /** From now on snapshots and changes wait for `releaseChanges`, as if the stream were slow. */
  holdChanges(): void {
    this.#isStreamHeld = true;
  }

  releaseChanges(): void {
    this.#isStreamHeld = false;
    for (const following of this.#following) for (const deliver of following.held.splice(0)) deliver();
  }

  /** Drops what the stream holds back and sends a new snapshot, as after a lost connection. */
  reconnectFollowers(): void {
    this.#dropHeld();
    this.#leader.restartFollowers();
  }

  /** Replaces the leader: followers get a new snapshot, and soft state is lost. */
  failOver(): void {
    this.#dropHeld();
    this.#leader.failOver();
  }

  #dropHeld(): void {
    for (const { held } of this.#following) held.length = 0;
  }
}
