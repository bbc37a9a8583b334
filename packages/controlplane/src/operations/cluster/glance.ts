import type { Clock } from '@weir/core';
import {
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  type TopicDescription,
} from '@weir/metadata';
import { OperationFailed } from '../operation-failed.ts';

/** As long as a client waits for an answer at most. */
const glanceMsMax = 20_000;

export interface LogEnds {
  readonly startOffset: number;
  readonly endOffset: number;
}

/**
 * What a cluster looks like at one moment. It is as new as the call: whoever made a topic sees it. Nothing is kept between calls, since a
 * control plane has more clusters than anybody looks at.
 */
export class Glance {
  readonly #snapshot: ClusterSnapshot;
  readonly #rowsByTopic = new Map<string, { readonly topic: TopicDescription; readonly firstRow: number }>();

  private constructor(snapshot: ClusterSnapshot) {
    this.#snapshot = snapshot;
    let firstRow = 0;
    for (const topic of snapshot.topics) {
      this.#rowsByTopic.set(topic.topicId, { topic, firstRow });
      firstRow += topic.partitionCount;
    }
  }

  static async take(port: ClusterPort, { clock, stop }: GlanceContext): Promise<Glance> {
    const { promise, resolve, reject } = Promise.withResolvers<ClusterSnapshot>();
    const giveUp = () => reject(new OperationFailed('context_canceled'));
    const cancel = clock.after(glanceMsMax, () =>
      reject(new ClusterUnavailable('the cluster did not show itself in time')),
    );
    stop.addEventListener('abort', giveUp, { once: true });
    if (stop.aborted) giveUp();
    const unfollow = port.follow({ onSnapshot: resolve, onChanges: () => {} });
    try {
      return new Glance(await promise);
    } finally {
      unfollow();
      cancel();
      stop.removeEventListener('abort', giveUp);
    }
  }

  get clusterConfigs(): Readonly<Record<string, string>> {
    return this.#snapshot.clusterConfigs;
  }

  get topics(): readonly TopicDescription[] {
    return this.#snapshot.topics;
  }

  get partitionCount(): number {
    return this.#snapshot.nextOffset.length;
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#snapshot.topics.find((topic) => topic.name === name);
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#rowsByTopic.get(topicId)?.topic;
  }

  ends(topicId: string, partition: number): LogEnds | undefined {
    const found = this.#rowsByTopic.get(topicId);
    if (found === undefined || partition >= found.topic.partitionCount) return undefined;
    const row = found.firstRow + partition;
    return {
      startOffset: this.#snapshot.logStartOffset[row]!,
      endOffset: this.#snapshot.nextOffset[row]!,
    };
  }

  /** How many records of a namespace the agents follow. */
  recordCount(namespace: string): number {
    return this.#snapshot.records.filter((record) => record.namespace === namespace).length;
  }
}

export interface GlanceContext {
  readonly clock: Clock;
  /** Aborted when the caller goes away. */
  readonly stop: AbortSignal;
}
