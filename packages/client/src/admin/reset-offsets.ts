import type { Failure } from '@weir/core';
import { errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { findCoordinator } from '../coordinator.ts';
import { noMember, type OffsetToCommit, requestCommit } from '../groups/offset-commit.ts';
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
  offsets: readonly OffsetToCommit[],
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (let at = 0; at < offsets.length; at += partitionsPerRequest)
    failures.push(...(await resetSome(cluster, groupId, offsets.slice(at, at + partitionsPerRequest))));
  return failures;
}

function resetSome(
  cluster: KafkaCluster,
  groupId: string,
  offsets: readonly OffsetToCommit[],
): Promise<readonly Failure[]> {
  return cluster.retrying(async () => {
    const coordinator = await cluster.connectionTo(await findCoordinator(cluster, groupId));
    const transport = coordinator.transport(cluster.timeoutMs);
    const codes = await requestCommit(transport, { groupId, ...noMember }, offsets);
    const failures = codes
      .filter(({ errorCode }) => errorCode !== errors.NONE.code)
      .map(({ topic, partition, errorCode }) => new KafkaRequestFailed(subject(topic, partition), errorCode));
    const passing = failures.find(({ retriable }) => retriable);
    if (passing !== undefined) throw passing;
    return failures;
  });
}
