import type {
  AbortedTransactions,
  AgentDescription,
  ClusterPort,
  Pointers,
  TopicDescription,
} from '@weir/cluster';
import type { FollowedEntriesView } from './followed-entries.ts';

/**
 * What an agent knows of its cluster without asking: topics, partition ends, other agents. It is fed by the cluster's change
 * stream and so lags the truth by a round trip, except for what this agent committed itself.
 */
export interface ClusterView {
  readonly clusterId: string;
  /** The port behind the view, for everything that has to be asked or changed. */
  readonly port: ClusterPort;
  /** Resolves when the first snapshot has come. */
  ready(): Promise<void>;
  /** The term of the leader that gave the last snapshot. */
  leaderTerm(): number | undefined;
  topicByName(name: string): TopicDescription | undefined;
  topicById(topicId: string): TopicDescription | undefined;
  topics(): Iterable<TopicDescription>;
  agents(): readonly AgentDescription[];
  clusterConfigs(): Readonly<Record<string, string>>;
  /** Records of one of the namespaces that agents follow. */
  records(namespace: string): FollowedEntriesView;
  /** `undefined` when the topic or the partition does not exist. */
  ends(topicId: string, partition: number): PartitionEnds | undefined;
  /** Pointers of recent appends that cover `offset`, when the view still has them; else ask `findBatches`. */
  recentPointers(topicId: string, partition: number, offset: number, bytesMax: number): Pointers | undefined;
  /**
   * What was aborted between an offset of which the view has the pointers, and another that is not beyond the last stable one;
   * by its first offset. `undefined` when nothing was.
   */
  recentAborted(
    topicId: string,
    partition: number,
    offset: number,
    endOffset: number,
  ): AbortedTransactions | undefined;
  /**
   * Calls `run` once when an end of the partition grows beyond `offset`, or at once when it has. Returns the function that
   * cancels.
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
  /** Before it there is no record of an open transaction. Of this agent's own commits it hears with the stream only. */
  readonly lastStableOffset: number;
}

export type GrowingEnd = 'nextOffset' | 'lastStableOffset';
