import {
  type ClusterPort,
  type ClusterSnapshot,
  SnapshotTopics,
  type TopicDescription,
  takeSnapshot,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import { OperationFailed } from '../operation-failed.ts';

/** The deadline of a client for an answer. */
const snapshotMsMax = 20_000;

/**
 * All topics of a cluster and all entries that agents follow, including everything that was committed before the call.
 * For operations on the whole cluster; `cluster-reads.ts` reads parts.
 */
export class ClusterTopicsSnapshot extends SnapshotTopics<ClusterSnapshot> {
  static async take(
    port: ClusterPort,
    { clock, stop }: ClusterSnapshotContext,
  ): Promise<ClusterTopicsSnapshot> {
    try {
      return new ClusterTopicsSnapshot(
        await takeSnapshot(port, { stop, limit: { clock, waitMsMax: snapshotMsMax } }),
      );
    } catch (error) {
      throw stop.aborted ? new OperationFailed('context_canceled') : error;
    }
  }

  get clusterConfigs(): Readonly<Record<string, string>> {
    return this.snapshot.clusterConfigs;
  }

  get topics(): readonly TopicDescription[] {
    return this.snapshot.topics;
  }

  get partitionCount(): number {
    return this.snapshot.nextOffset.length;
  }

  /** The number of key-value entries of a namespace that agents follow. */
  entryCount(namespace: string): number {
    return this.snapshot.records.filter((entry) => entry.namespace === namespace).length;
  }
}

export interface ClusterSnapshotContext {
  readonly clock: Clock;
  /** Aborted when the caller disconnects. */
  readonly stop: AbortSignal;
}
