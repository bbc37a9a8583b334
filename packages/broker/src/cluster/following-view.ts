import {
  type AbortedTransactions,
  type AgentDescription,
  type ClusterChange,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  callOn,
  type FileCommit,
  type FileCommitResult,
  type FilesToCommit,
  FollowedEntries,
  type FollowedEntriesView,
  filesToSend,
  type Pointers,
  portOf,
  type TopicDescription,
  type TopicPartition,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { ClusterView, GrowingEnd, PartitionEnds } from './cluster-view.ts';
import { GrowthWaiters } from './growth-waiters.ts';
import { TailIndex, type TailLimits } from './tail-index.ts';

export interface ClusterViewOptions extends Partial<TailLimits> {
  readonly growthWaitersMax?: number;
  /** Receives each snapshot before the view applies it. */
  readonly onSnapshot?: (snapshot: ClusterSnapshot) => void;
  /** Receives all changes before the view applies them. */
  readonly onChanges?: (changes: readonly ClusterChange[]) => void;
  /** Called for each new connection to the control plane. */
  readonly onConnected?: () => void;
  /** Without it, the view never becomes stale. */
  readonly clock?: Pick<Clock, 'monotonicMs'>;
  /**
   * Whether the view counts as good for as long as there is no leader (ADR 0231): then it is stale only in the time in
   * which another leader may have followed. By default it is not.
   */
  readonly servesWithoutLeader?: boolean | undefined;
  /** Leaves agents out that are gone while no leader says so. By default none is. */
  readonly livingAgents?: ((agents: readonly AgentDescription[]) => readonly AgentDescription[]) | undefined;
  readonly log: Log;
}

/** A view that follows its cluster until it is closed. */
export interface FollowingClusterView extends ClusterView {
  close(): void;
}

interface TopicState {
  description: TopicDescription;
  logStartOffset: Float64Array;
  nextOffset: Float64Array;
  lastStableOffset: Float64Array;
}

/** Less than a leader that died or hangs is followed by another one. */
export const staleMs = 1_500;

/** Longer than agents take to find another leader, if there is one. */
const leaderlessMs = 15_000;

type Restored = Extract<ClusterChange, { kind: 'topicRestored' }>;
type Appended = Extract<ClusterChange, { kind: 'appended' }>;

/**
 * Creates a view from the change stream of a cluster. Between a lost stream and the next snapshot it answers from its
 * last state.
 *
 * `port` of the view is the given port, except that the agent's own commits raise the partition ends at once: a client
 * whose record was acknowledged must not see an earlier end of the partition afterwards. The pointers still come with
 * the stream, because the answer to a commit does not distinguish a duplicate from a new batch.
 *
 * Pointers here may be older than a compaction. A reader that does not find their file calls `findBatches`.
 *
 * A log start never goes back: the highest one of all answers, changes and snapshots counts. The stream may be slower
 * than an answer, and a snapshot may be that of a leader that does not know yet that another one leads.
 */
export function createClusterView(port: ClusterPort, options: ClusterViewOptions): FollowingClusterView {
  return new StreamedClusterView(port, options);
}

class StreamedClusterView implements FollowingClusterView {
  readonly port: ClusterPort;
  readonly #log: Log;
  readonly #topics = new Map<string, TopicState>();
  readonly #byName = new Map<string, TopicState>();
  readonly #tails: TailIndex;
  readonly #waiters: GrowthWaiters;
  readonly #records = new FollowedEntries();
  readonly #unfollow: () => void;
  readonly #whenReady: { resolve: () => void; reject: (reason: Error) => void }[] = [];
  #state: 'starting' | 'ready' | 'closed' = 'starting';
  #clusterId = '';
  #clusterConfigs: Readonly<Record<string, string>> = {};
  #agents: readonly AgentDescription[] = [];
  #leaderTerm: number | undefined;
  #leaderSinceMs = Number.NEGATIVE_INFINITY;
  #registryRevision = 0;
  readonly #onRegistryChange = new Set<() => void>();
  readonly #clock: Pick<Clock, 'monotonicMs'> | undefined;
  readonly #servesWithoutLeader: boolean;
  readonly #livingAgents: NonNullable<ClusterViewOptions['livingAgents']>;
  /** When the last call was sent that the leader has answered. */
  #knownMs = 0;

  constructor(port: ClusterPort, options: ClusterViewOptions) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#servesWithoutLeader = options.servesWithoutLeader === true;
    this.#livingAgents = options.livingAgents ?? ((agents) => agents);
    this.#tails = new TailIndex({
      recentPointersPerPartitionMax:
        options.recentPointersPerPartitionMax ?? brokerLimits.recentPointersPerPartitionMax,
      recentPointersMax: options.recentPointersMax ?? brokerLimits.recentPointersMax,
    });
    this.#waiters = new GrowthWaiters(options.growthWaitersMax ?? brokerLimits.growthWaitersMax);
    this.port = this.#noting(port);
    this.#unfollow = port.follow({
      onSnapshot: (snapshot) => {
        options.onSnapshot?.(snapshot);
        this.#applySnapshot(snapshot);
      },
      onChanges: (changes) => {
        options.onChanges?.(changes);
        this.#applyChanges(changes);
      },
      onConnected: () => options.onConnected?.(),
    });
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  ready(): Promise<void> {
    if (this.#state === 'ready') return Promise.resolve();
    if (this.#state === 'closed') return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#whenReady.push({ resolve, reject });
    });
  }

  leaderTerm(): number | undefined {
    return this.#leaderTerm;
  }

  leaderSinceMs(): number {
    return this.#leaderSinceMs;
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#byName.get(name)?.description;
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#topics.get(topicId)?.description;
  }

  *topics(): Iterable<TopicDescription> {
    for (const { description } of this.#topics.values()) yield description;
  }

  agents(): readonly AgentDescription[] {
    return this.#livingAgents(this.#agents);
  }

  clusterConfigs(): Readonly<Record<string, string>> {
    return this.#clusterConfigs;
  }

  registryRevision(): number {
    return this.#registryRevision;
  }

  onRegistryChange(run: () => void): () => void {
    this.#onRegistryChange.add(run);
    return () => this.#onRegistryChange.delete(run);
  }

  records(namespace: string): FollowedEntriesView {
    return this.#records.of(namespace);
  }

  ends(topicId: string, partition: number): PartitionEnds | undefined {
    const topic = this.#topics.get(topicId);
    const nextOffset = topic?.nextOffset[partition];
    const logStartOffset = topic?.logStartOffset[partition];
    const lastStableOffset = topic?.lastStableOffset[partition];
    return nextOffset === undefined || logStartOffset === undefined || lastStableOffset === undefined
      ? undefined
      : { logStartOffset, nextOffset, lastStableOffset };
  }

  recentPointers(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined {
    return this.#tails.find(topicId, partition, offset, bytesMax);
  }

  isStale(): boolean {
    return !this.isLeaderless() && this.#nowMs() - this.#knownMs > staleMs;
  }

  isLeaderless(): boolean {
    return this.#servesWithoutLeader && this.#nowMs() - this.#knownMs > leaderlessMs;
  }

  #nowMs(): number {
    return this.#clock?.monotonicMs() ?? 0;
  }

  dropRecentPointers(topicId: string, partition: number, offset: number): void {
    this.#tails.dropBelow(topicId, partition, offset);
  }

  recentAborted(
    topicId: string,
    partition: number,
    offset: number,
    endOffset: number,
  ): AbortedTransactions | undefined {
    return this.#tails.abortedIn(topicId, partition, offset, endOffset);
  }

  whenBeyond(
    topicId: string,
    partition: number,
    offset: number,
    run: () => void,
    end: GrowingEnd = 'nextOffset',
  ): () => void {
    const ends = this.ends(topicId, partition);
    if (this.#state === 'closed' || ends === undefined || ends[end] > offset) {
      run();
      return () => {};
    }
    return this.#waiters.add(topicId, partition, { end, offset, run });
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#unfollow();
    for (const { reject } of this.#whenReady.splice(0)) reject(closedError());
    this.#run(this.#waiters.topicIds().flatMap((topicId) => this.#waiters.takeTopic(topicId)));
  }

  #applySnapshot(snapshot: ClusterSnapshot): void {
    if (this.#state === 'closed') return;
    this.#knownMs = this.#nowMs();
    const before = new Map(this.#topics);
    this.#topics.clear();
    this.#byName.clear();
    this.#clusterId = snapshot.clusterId;
    this.#clusterConfigs = snapshot.clusterConfigs;
    this.#agents = snapshot.agents;
    if (this.#leaderTerm !== snapshot.term) this.#leaderSinceMs = this.#nowMs();
    this.#leaderTerm = snapshot.term;
    this.#records.restart(snapshot.records);
    this.#registryRevision = snapshot.registryRevision ?? 0;
    let row = 0;
    for (const description of snapshot.topics) {
      const end = row + description.partitionCount;
      const state: TopicState = {
        description,
        logStartOffset: snapshot.logStartOffset.slice(row, end),
        nextOffset: snapshot.nextOffset.slice(row, end),
        lastStableOffset: snapshot.lastStableOffset.slice(row, end),
      };
      row = end;
      this.#topics.set(description.topicId, state);
      this.#byName.set(description.name, state);
      const known = before.get(description.topicId);
      for (let partition = 0; partition < description.partitionCount; partition++) {
        this.#tails.keepIfEndsAt(description.topicId, partition, state.nextOffset[partition]!);
        const knownNext = known?.nextOffset[partition] ?? 0;
        // Offsets never go back, so a snapshot that is behind one of our own commits was only taken before it.
        if (knownNext > state.nextOffset[partition]!) state.nextOffset[partition] = knownNext;
        const knownStable = known?.lastStableOffset[partition] ?? 0;
        if (knownStable > state.lastStableOffset[partition]!) state.lastStableOffset[partition] = knownStable;
        raiseLogStart(state, partition, known?.logStartOffset[partition] ?? 0);
      }
    }
    for (const topicId of [...this.#tails.topicIds()]) {
      if (!this.#topics.has(topicId)) this.#tails.deleteTopic(topicId);
    }
    const due = this.#waiters.topicIds().flatMap((topicId) => this.#dueOf(topicId));
    this.#run([...due, ...this.#onRegistryChange]);
    if (this.#state === 'starting') {
      this.#state = 'ready';
      for (const { resolve } of this.#whenReady.splice(0)) resolve();
    }
  }

  #dueOf(topicId: string): (() => void)[] {
    const topic = this.#topics.get(topicId);
    if (topic === undefined) return this.#waiters.takeTopic(topicId);
    return Array.from(topic.nextOffset).flatMap((nextOffset, partition) =>
      this.#waiters.takeBelow(topicId, partition, {
        nextOffset,
        lastStableOffset: topic.lastStableOffset[partition]!,
      }),
    );
  }

  #applyChanges(changes: readonly ClusterChange[]): void {
    if (this.#state !== 'ready') return;
    const due: (() => void)[] = [];
    for (const change of changes) {
      switch (change.kind) {
        case 'topic':
          this.#applyTopic(change.topic);
          break;
        case 'topicRestored':
          this.#restoreTopic(change);
          break;
        case 'topicDeleted':
          if (this.#byName.get(change.name)?.description.topicId === change.topicId) {
            this.#byName.delete(change.name);
          }
          this.#topics.delete(change.topicId);
          this.#tails.deleteTopic(change.topicId);
          due.push(...this.#waiters.takeTopic(change.topicId));
          break;
        case 'agents':
          this.#agents = change.agents;
          break;
        case 'appended':
          due.push(...this.#applyAppend(change));
          break;
        case 'clusterConfigs':
          this.#clusterConfigs = change.configs;
          break;
        case 'registry':
          this.#registryRevision = change.revision;
          due.push(...this.#onRegistryChange);
          break;
        case 'record':
          this.#records.put(change.namespace, change.key, change.value);
          break;
        case 'logStarts':
          due.push(...this.#moveLogStarts(change.topicId, change.partition, change.logStartOffset));
          break;
        case 'replaced':
          for (const [row, partition] of change.partition.entries()) {
            this.#tails.dropBelow(change.topicId, partition, change.belowOffset[row]!);
          }
          break;
      }
    }
    this.#run(due);
  }

  #applyTopic(description: TopicDescription): void {
    const known = this.#topics.get(description.topicId);
    const state = known ?? {
      description,
      logStartOffset: new Float64Array(0),
      nextOffset: new Float64Array(0),
      lastStableOffset: new Float64Array(0),
    };
    if (known !== undefined && known.description.name !== description.name) {
      this.#byName.delete(known.description.name);
    }
    state.description = description;
    if (state.nextOffset.length < description.partitionCount) {
      state.logStartOffset = extended(state.logStartOffset, description.partitionCount);
      state.nextOffset = extended(state.nextOffset, description.partitionCount);
      state.lastStableOffset = extended(state.lastStableOffset, description.partitionCount);
    }
    this.#topics.set(description.topicId, state);
    this.#byName.set(description.name, state);
  }

  /** Only the ends of a restored topic are known: its tail was dropped with the topic. */
  #restoreTopic({ topic: description, logStartOffset, nextOffset, lastStableOffset }: Restored): void {
    const state: TopicState = {
      description,
      logStartOffset: logStartOffset.slice(),
      nextOffset: nextOffset.slice(),
      lastStableOffset: lastStableOffset.slice(),
    };
    this.#topics.set(description.topicId, state);
    this.#byName.set(description.name, state);
  }

  #applyAppend({ topicId, partition, pointers, lastStableOffset, aborted }: Appended): (() => void)[] {
    const topic = this.#topics.get(topicId);
    const last = pointers.nextOffset.at(-1);
    if (topic === undefined || last === undefined || partition >= topic.nextOffset.length) return [];
    this.#tails.append(topicId, partition, pointers, aborted);
    // Of copied batches the markers lie in files, so that only the leader knows where their transactions began.
    if (aborted !== undefined && pointers.markers === undefined)
      this.#tails.dropBelow(topicId, partition, last);
    const nextOffset = Math.max(last, topic.nextOffset[partition]!);
    const stableOffset = Math.max(lastStableOffset, topic.lastStableOffset[partition]!);
    topic.nextOffset[partition] = nextOffset;
    topic.lastStableOffset[partition] = stableOffset;
    return this.#waiters.takeBelow(topicId, partition, { nextOffset, lastStableOffset: stableOffset });
  }

  /** A copy of another cluster may begin beyond its end: then it is empty, and goes on there. */
  #moveLogStarts(
    topicId: string,
    partitions: Uint32Array,
    logStartOffset: Float64Array,
  ): readonly (() => void)[] {
    const topic = this.#topics.get(topicId);
    if (topic === undefined) return [];
    const due: (() => void)[] = [];
    for (const [row, partition] of partitions.entries()) {
      const offset = logStartOffset[row]!;
      raiseLogStart(topic, partition, offset);
      if (!(offset > topic.nextOffset[partition]!)) continue;
      topic.nextOffset[partition] = offset;
      due.push(
        ...this.#waiters.takeBelow(topicId, partition, { nextOffset: offset, lastStableOffset: offset }),
      );
    }
    return due;
  }

  /** Wraps the port to observe what answers say about logs, and when. */
  #noting(port: ClusterPort): ClusterPort {
    return {
      ...portOf(async (name, args) => {
        const sentMs = this.#nowMs();
        const answer = await callOn(port, name, args);
        this.#answered(sentMs);
        return answer;
      }),
      follow: (follower) => port.follow(follower),
      commitFiles: (files: FilesToCommit): Promise<FileCommitResult[]> => {
        let sent: readonly FileCommit[] = [];
        let sentMs = 0;
        const committed = port.commitFiles(() => {
          sentMs = this.#nowMs();
          sent = filesToSend(files);
          return sent;
        });
        return committed.then((results) => {
          this.#answered(sentMs);
          this.#noteCommits(sent, results);
          return results;
        });
      },
      findBatches: async (queries) => {
        const sentMs = this.#nowMs();
        const answers = await port.findBatches(queries);
        this.#answered(sentMs);
        this.#noteLogStarts(queries, answers);
        return answers;
      },
      deleteRecords: async (deletions) => {
        const sentMs = this.#nowMs();
        const results = await port.deleteRecords(deletions);
        this.#answered(sentMs);
        this.#noteLogStarts(deletions, results);
        return results;
      },
    };
  }

  #answered(sentMs: number): void {
    this.#knownMs = Math.max(this.#knownMs, sentMs);
  }

  /** Answers have a log start of -1 if they know none. */
  #noteLogStarts(
    places: readonly TopicPartition[],
    answers: readonly { readonly logStartOffset: number }[],
  ): void {
    for (const [index, { topicId, partition }] of places.entries()) {
      const topic = this.#topics.get(topicId);
      if (topic !== undefined) raiseLogStart(topic, partition, answers[index]?.logStartOffset ?? -1);
    }
  }

  #noteCommits(files: readonly FileCommit[], results: readonly FileCommitResult[]): void {
    for (const [index, file] of files.entries()) {
      const result = results[index];
      for (let row = 0; result !== undefined && row < file.topic.length; row++) {
        const topic = this.#topics.get(file.topicIds[file.topic[row]!]!);
        const nextOffsets = topic?.nextOffset;
        const partition = file.partition[row]!;
        const baseOffset = result.baseOffset[row]!;
        if (topic !== undefined) raiseLogStart(topic, partition, result.logStartOffset[row] ?? -1);
        if (nextOffsets === undefined || partition >= nextOffsets.length || baseOffset < 0) continue;
        const next = baseOffset + file.recordCount[row]!;
        if (next > nextOffsets[partition]!) nextOffsets[partition] = next;
      }
    }
  }

  /** One long poll that throws must not block the others. */
  #run(due: readonly (() => void)[]): void {
    for (const run of due) {
      try {
        run();
      } catch (error) {
        this.#log.error('failed to wake long poll', { error: String(error) });
      }
    }
  }
}

function raiseLogStart(
  { logStartOffset, lastStableOffset }: TopicState,
  partition: number,
  offset: number,
): void {
  if (partition >= logStartOffset.length || offset <= logStartOffset[partition]!) return;
  logStartOffset[partition] = offset;
  if (offset > lastStableOffset[partition]!) lastStableOffset[partition] = offset;
}

function extended(column: Float64Array, length: number): Float64Array {
  const longer = new Float64Array(length);
  longer.set(column);
  return longer;
}

function closedError(): Error {
  return new ClusterUnavailable('cluster view is closed');
}
