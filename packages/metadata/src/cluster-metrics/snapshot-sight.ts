import type { Clock } from '@weir/core';
import {
  type AgentDescription,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  type TopicDescription,
} from '../cluster/port.ts';
import type { ClusterSight, MeasuredPort, PartitionSpan } from './cluster-sight.ts';

export interface SightOptions {
  readonly clock: Clock;
  /** A cluster that does not show itself within it is unavailable. */
  readonly waitMsMax: number;
}

/** A look at a cluster of one moment, for those who do not follow it. Rejects with `ClusterUnavailable` while nobody leads it. */
export async function lookAt(
  port: MeasuredPort & Pick<ClusterPort, 'follow' | 'listAgents'>,
  { clock, waitMsMax }: SightOptions,
): Promise<ClusterSight> {
  // Asked first, because a cluster without a leader refuses it at once, and shows itself to followers whenever it has one again.
  const agents = await port.listAgents();
  const { promise, resolve, reject } = Promise.withResolvers<ClusterSnapshot>();
  const cancel = clock.after(waitMsMax, () =>
    reject(new ClusterUnavailable('the cluster did not show itself in time')),
  );
  const unfollow = port.follow({ onSnapshot: resolve, onChanges() {} });
  try {
    return new SnapshotSight(port, await promise, agents);
  } finally {
    unfollow();
    cancel();
  }
}

class SnapshotSight implements ClusterSight {
  readonly port: MeasuredPort;
  readonly #snapshot: ClusterSnapshot;
  readonly #agents: readonly AgentDescription[];
  readonly #byId = new Map<string, { readonly topic: TopicDescription; readonly firstRow: number }>();
  readonly #byName = new Map<string, TopicDescription>();

  constructor(port: MeasuredPort, snapshot: ClusterSnapshot, agents: readonly AgentDescription[]) {
    this.port = port;
    this.#snapshot = snapshot;
    this.#agents = agents;
    let firstRow = 0;
    for (const topic of snapshot.topics) {
      this.#byId.set(topic.topicId, { topic, firstRow });
      this.#byName.set(topic.name, topic);
      firstRow += topic.partitionCount;
    }
  }

  topics(): Iterable<TopicDescription> {
    return this.#snapshot.topics;
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#byName.get(name);
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#byId.get(topicId)?.topic;
  }

  agents(): readonly AgentDescription[] {
    return this.#agents;
  }

  ends(topicId: string, partition: number): PartitionSpan | undefined {
    const found = this.#byId.get(topicId);
    if (found === undefined || partition >= found.topic.partitionCount) return undefined;
    const row = found.firstRow + partition;
    return {
      logStartOffset: this.#snapshot.logStartOffset[row]!,
      nextOffset: this.#snapshot.nextOffset[row]!,
    };
  }

  recentPointers(): undefined {
    return undefined;
  }
}
