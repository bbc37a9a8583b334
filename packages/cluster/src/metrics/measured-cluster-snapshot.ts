import type { Clock } from '@weir/core';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import type { AgentDescription, ClusterSnapshot, TopicDescription } from '../ports/port.ts';
import { SnapshotTopics } from '../snapshots/snapshot-topics.ts';
import { takeSnapshot } from '../snapshots/take-snapshot.ts';
import type { MeasuredClusterView, MeasuredPort } from './measured-cluster-view.ts';

interface MeasuredSnapshotOptions {
  readonly clock: Clock;
  /** A cluster that does not show itself within it is unavailable. */
  readonly waitMsMax: number;
}

/** A look at a cluster of one moment, for those who do not follow it. Rejects with `ClusterUnavailable` while nobody leads it. */
export async function readMeasuredSnapshot(
  port: MeasuredPort & Pick<ClusterPort, 'follow' | 'listAgents'>,
  limit: MeasuredSnapshotOptions,
): Promise<MeasuredClusterView> {
  // Asked first, because a cluster without a leader refuses it at once, and shows itself to followers whenever it has one again.
  const agents = await port.listAgents();
  return new MeasuredClusterSnapshot(port, await takeSnapshot(port, { limit }), agents);
}

class MeasuredClusterSnapshot extends SnapshotTopics implements MeasuredClusterView {
  readonly port: MeasuredPort;
  readonly #agents: readonly AgentDescription[];

  constructor(port: MeasuredPort, snapshot: ClusterSnapshot, agents: readonly AgentDescription[]) {
    super(snapshot);
    this.port = port;
    this.#agents = agents;
  }

  topics(): Iterable<TopicDescription> {
    return this.snapshot.topics;
  }

  agents(): readonly AgentDescription[] {
    return this.#agents;
  }

  recentPointers(): undefined {
    return undefined;
  }
}
