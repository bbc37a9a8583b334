import type { ClusterChange, ClusterSnapshot } from '@weir/cluster';
import { fileCommit } from '@weir/cluster/testing';
import type { ClusterNode, ClusterNodeOptions } from '../src/leader/cluster-node.ts';
import { type ControlPlane, ControlPlanes } from './control-planes.ts';

/** One control-plane process, which leads. */
export async function leader(options: Partial<ClusterNodeOptions> = {}) {
  const world = new ControlPlanes();
  const { process, node } = await world.startLeader('a', options);
  return { world, clock: world.clock, process, node };
}

/** Two processes: `a` leads, and `b` has been its standby for a while. */
export async function leaderAndStandby(
  standbyMs: number,
  options: Partial<ClusterNodeOptions> = {},
): Promise<{ clock: ControlPlanes['clock']; a: ControlPlane; b: ControlPlane }> {
  const world = new ControlPlanes();
  const a = await world.startLeader('a', options);
  const b = world.start('b', options);
  await world.clock.pass(standbyMs);
  return { clock: world.clock, a, b };
}

/** The id of a new topic `t` with two partitions. */
export async function topicOf(node: ClusterNode): Promise<string> {
  const topics = [{ name: 't', partitionCount: 2, configs: {} }];
  const [created] = await node.createTopics(topics, { validateOnly: false });
  return created!.topic!.topicId;
}

/** A file with one record for partition 0. */
export const file = (number: number, topicId: string) =>
  fileCommit(number, topicId, [{ partition: 0, recordCount: 1 }]);

/** The next offset of partition 0. */
export async function nextOffset(node: ClusterNode, topicId: string): Promise<number> {
  const [found] = await node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  return found!.nextOffset;
}

type Followed = (ClusterSnapshot | readonly ClusterChange[])[];

export function follow(node: ClusterNode): { events: Followed; stop: () => void } {
  const events: Followed = [];
  const stop = node.follow({
    onSnapshot: (snapshot) => events.push(snapshot),
    onChanges: (changes) => events.push(changes),
  });
  return { events, stop };
}
