import type { AgentDescription } from './agents/agent-calls.ts';
import type { AbortedTransactions, Pointers } from './pointers.ts';
import type { TopicDescription } from './topic-calls.ts';

export interface ClusterFollower {
  onSnapshot(snapshot: ClusterSnapshot): void;
  onChanges(changes: readonly ClusterChange[]): void;
  /**
   * Called when a connection to a control-plane process, possibly a different one, is established. The follower must
   * resend everything whose effect ends with the connection. An in-process port never calls it.
   */
  onConnected?(): void;
}

export interface ClusterSnapshot {
  readonly clusterId: string;
  readonly clusterConfigs: Readonly<Record<string, string>>;
  readonly topics: readonly TopicDescription[];
  /** Partition ends as columns: topics in the order of `topics`, partitions in ascending order within each. */
  readonly logStartOffset: Float64Array;
  readonly nextOffset: Float64Array;
  readonly lastStableOffset: Float64Array;
  readonly agents: readonly AgentDescription[];
  /** The key-value entries that agents need: hundreds or thousands of small ones. */
  readonly records: readonly MetadataEntry[];
  /** The revision of the schema registry, whose entries followers read themselves. Absent if it is 0. */
  readonly registryRevision?: number | undefined;
  /** The term of the leader that sent the snapshot. */
  readonly term?: number | undefined;
}

/**
 * A small value that is not part of a log, such as a quota or a credential. The code that uses a namespace defines its
 * format.
 */
export interface MetadataEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: Uint8Array;
}

export type ClusterChange =
  | { readonly kind: 'topic'; readonly topic: TopicDescription }
  /** A key-value entry that was put or, with `null`, removed. */
  | {
      readonly kind: 'record';
      readonly namespace: string;
      readonly key: string;
      readonly value: Uint8Array | null;
    }
  | { readonly kind: 'topicDeleted'; readonly topicId: string; readonly name: string }
  /** A restored topic, with the ends of its partitions as columns. */
  | {
      readonly kind: 'topicRestored';
      readonly topic: TopicDescription;
      readonly logStartOffset: Float64Array;
      readonly nextOffset: Float64Array;
      readonly lastStableOffset: Float64Array;
    }
  | { readonly kind: 'agents'; readonly agents: readonly AgentDescription[] }
  | {
      readonly kind: 'appended';
      readonly topicId: string;
      readonly partition: number;
      /** Data ranges or transaction markers. */
      readonly pointers: Pointers;
      /**
       * The last stable offset after these pointers. It advances with appends (a marker is one) and is never below the
       * log start.
       */
      readonly lastStableOffset: number;
      /** Transactions that these pointers aborted; absent if there are none. */
      readonly aborted?: AbortedTransactions | undefined;
    }
  /** The schema registry changed. Followers that need its entries read them. */
  | { readonly kind: 'registry'; readonly revision: number }
  /** All configs set on the cluster, as of now. */
  | { readonly kind: 'clusterConfigs'; readonly configs: Readonly<Record<string, string>> }
  /**
   * Logs whose start offset rose. Records below it can no longer be read and no longer hold back the last stable
   * offset.
   */
  | {
      readonly kind: 'logStarts';
      readonly topicId: string;
      /** Columns with one row per partition that moved. */
      readonly partition: Uint32Array;
      readonly logStartOffset: Float64Array;
    }
  /**
   * Logs whose pointers were replaced by others for the same records. Pointers that begin below the offset may lie in
   * files that are deleted after a grace period.
   */
  | {
      readonly kind: 'replaced';
      readonly topicId: string;
      /** Columns with one row per partition. */
      readonly partition: Uint32Array;
      readonly belowOffset: Float64Array;
    };
