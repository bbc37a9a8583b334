import type { Clock } from '@weir/core';
import { type ClusterPort, SnapshotTopics, type TopicDescription, takeSnapshot } from '@weir/metadata';
import { OperationFailed } from '../operation-failed.ts';

/** As long as a client waits for an answer at most. */
const glanceMsMax = 20_000;

/**
 * What a cluster looks like at one moment. It is as new as the call: whoever made a topic sees it. Nothing is kept between calls, since a
 * control plane has more clusters than anybody looks at.
 */
export class ClusterTopicsSnapshot extends SnapshotTopics {
  static async take(
    port: ClusterPort,
    { clock, stop }: ClusterSnapshotContext,
  ): Promise<ClusterTopicsSnapshot> {
    try {
      return new ClusterTopicsSnapshot(
        await takeSnapshot(port, { stop, limit: { clock, waitMsMax: glanceMsMax } }),
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

  /** How many records of a namespace the agents follow. */
  recordCount(namespace: string): number {
    return this.snapshot.records.filter((record) => record.namespace === namespace).length;
  }
}

export interface ClusterSnapshotContext {
  readonly clock: Clock;
  /** Aborted when the caller goes away. */
  readonly stop: AbortSignal;
}
