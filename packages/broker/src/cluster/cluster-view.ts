import type {
  AbortedTransactions,
  AgentDescription,
  ClusterPort,
  FollowedEntriesView,
  Pointers,
  TopicDescription,
} from '@weir/cluster';

/**
 * The agent's local state of its cluster: topics, partition ends, other agents. It is fed by the cluster's change
 * stream and so lags by a round trip, except for the agent's own commits.
 */
export interface ClusterView {
  readonly clusterId: string;
  /** The port behind the view, for calls and changes. */
  readonly port: ClusterPort;
  /** Resolves when the first snapshot has arrived. */
  ready(): Promise<void>;
  /** The term of the leader that sent the last snapshot. */
  leaderTerm(): number | undefined;
  /** When the first snapshot of this leader arrived, by the monotonic clock. */
  leaderSinceMs(): number;
  topicByName(name: string): TopicDescription | undefined;
  topicById(topicId: string): TopicDescription | undefined;
  topics(): Iterable<TopicDescription>;
  agents(): readonly AgentDescription[];
  clusterConfigs(): Readonly<Record<string, string>>;
  /** The revision of the schema registry as of the last change; its entries are read with `port`. */
  registryRevision(): number;
  /** Calls `run` whenever the schema registry may have changed. Returns a function that ends that. */
  onRegistryChange(run: () => void): () => void;
  /** Entries of a namespace that agents follow. */
  records(namespace: string): FollowedEntriesView;
  /** Returns `undefined` if the topic or the partition does not exist. */
  ends(topicId: string, partition: number): PartitionEnds | undefined;
  /** Returns pointers of recent appends that cover `offset`, if the view still has them; else call `findBatches`. */
  recentPointers(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined;
  /**
   * Whether the leader has answered no call for a while. It may have been replaced, or its changes do not arrive:
   * records that the view still has may be deleted, and other agents may have shown that they are.
   */
  isStale(): boolean;
  /**
   * Whether there has been no leader for long, and this agent answers from what it knows instead. Always false without
   * ripcord.
   */
  isLeaderless(): boolean;
  /**
   * Drops recent pointers that begin before `offset`: the file of one is gone, and only the leader knows the new one.
   */
  dropRecentPointers(topicId: string, partition: number, offset: number): void;
  /**
   * Returns the transactions aborted between an offset whose pointers the view has, and another that is not beyond the
   * last stable offset; ordered by first offset. `undefined` if there are none.
   */
  recentAborted(
    topicId: string,
    partition: number,
    offset: number,
    endOffset: number,
  ): AbortedTransactions | undefined;
  /**
   * Calls `run` once when an end of the partition grows beyond `offset`, or at once if it already has. Returns a
   * function that cancels.
   */
  whenBeyond(
    topicId: string,
    partition: number,
    offset: number,
    run: () => void,
    end?: GrowingEnd,
  ): () => void;
}

export interface PartitionEnds {
  readonly logStartOffset: number;
  readonly nextOffset: number;
  /**
   * No record before it belongs to an open transaction. The agent's own commits move it only through the change stream.
   */
  readonly lastStableOffset: number;
}

export type GrowingEnd = 'nextOffset' | 'lastStableOffset';
