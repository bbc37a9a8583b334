import type { Failure } from '@weir/core';
import { errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { findCoordinator } from '../coordinator.ts';
import { noMember, type OffsetsByTopic, requestCommit } from '../groups/offset-commit.ts';
import { subject } from '../records/leaders.ts';
import { KafkaRequestFailed } from '../request-failed.ts';

/** A group may have many partitions; a request holds some of them. */
const partitionsPerRequest = 2_000;

/**
 * Sets the committed offsets of a group that has no members, and returns the failures by topic and partition. It is
 * safe to repeat, because the same offsets are committed again.
 */
export async function resetOffsets(
  cluster: KafkaCluster,
  groupId: string,
  offsets: OffsetsByTopic,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const some of requestsOf(offsets)) failures.push(...(await resetSome(cluster, groupId, some)));
  return failures;
}

function resetSome(
  cluster: KafkaCluster,
  groupId: string,
  offsets: OffsetsByTopic,
): Promise<readonly Failure[]> {
  return cluster.retrying(async () => {
    const coordinator = await cluster.connectionTo(await findCoordinator(cluster, groupId));
    const codes = await requestCommit(coordinator, { groupId, ...noMember }, offsets, cluster.timeoutMs);
    const failures = codes
      .filter(({ errorCode }) => errorCode !== errors.NONE.code)
      .map(({ topic, partition, errorCode }) => new KafkaRequestFailed(subject(topic, partition), errorCode));
    const passing = failures.find(({ retriable }) => retriable);
    if (passing !== undefined) throw passing;
    return failures;
  });
}

function* requestsOf(offsets: OffsetsByTopic): Generator<OffsetsByTopic, void, undefined> {
  let some = new Map<string, Map<number, bigint>>();
  let count = 0;
  for (const [topic, ofPartitions] of offsets) {
    for (const [partition, offset] of ofPartitions) {
      const ofTopic = some.get(topic) ?? new Map<number, bigint>();
      some.set(topic, ofTopic.set(partition, offset));
      if (++count < partitionsPerRequest) continue;
      yield some;
      some = new Map();
      count = 0;
    }
  }
  if (count > 0) yield some;
}
