import type { Clock } from '@weir/core';
import type { AgentDescription } from '../calls/agents/agent-calls.ts';
import type { ClusterSnapshot } from '../calls/change-stream.ts';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import type { TopicDescription } from '../calls/topic-calls.ts';
import { SnapshotTopics } from '../snapshots/snapshot-topics.ts';
import { takeSnapshot } from '../snapshots/take-snapshot.ts';
import type { MeasuredClusterView, MeasuredPort } from './measured-cluster-view.ts';

interface MeasuredSnapshotOptions {
  readonly clock: Clock;
  /** A cluster that sends no snapshot within this time is unavailable. */
  readonly waitMsMax: number;
}

/**
 * Reads a point-in-time snapshot of a cluster, for callers that do not follow it. Rejects with `ClusterUnavailable`
 * while the cluster has no leader.
 */
export async function readMeasuredSnapshot(
  port: MeasuredPort & Pick<ClusterPort, 'follow' | 'listAgents'>,
  limit: MeasuredSnapshotOptions,
): Promise<MeasuredClusterView> {
  // Called first because it fails at once without a leader, while `follow` waits for one.
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
