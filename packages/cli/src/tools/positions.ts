import type { IsolationLevel, KafkaCluster, ReadOptions } from '@weir/client';
import { allAnswers, findTopic, type OffsetRange, offsetRanges, subject } from '@weir/client';
import { Failure } from '@weir/core';
import type { OffsetPosition } from '../values/offset-position.ts';

/** Where to start reading: in one partition or in all of them, at an end or at an offset that exists. */
export async function startingPositions(
  cluster: KafkaCluster,
  topicName: string,
  partition: number | undefined,
  position: OffsetPosition,
  isolation?: IsolationLevel,
): Promise<ReadOptions['from']> {
  const { topic } = await cluster.retrying(() => findTopic(cluster, topicName));
  const partitions =
    partition === undefined ? topic.partitions.map(({ partitionIndex }) => partitionIndex) : [partition];
  if (typeof position === 'number' && partitions.length > 1) {
    throw new Failure(
      `topic ${topicName} has ${partitions.length} partitions, and offset ${position} is a different record in each; ` +
        'add -partition',
    );
  }
  const ranges = allAnswers(await offsetRanges(cluster, topicName, partitions, isolation));
  return new Map(
    [...ranges].map(([index, range]) => [
      index,
      { offset: offsetAt(position, range, subject(topicName, index)), end: range.latest },
    ]),
  );
}

function offsetAt(position: OffsetPosition, { earliest, latest }: OffsetRange, about: string): bigint {
  if (typeof position === 'string') return position === 'earliest' ? earliest : latest;
  const offset = BigInt(position);
  if (offset >= earliest && offset <= latest) return offset;
  const held = earliest === latest ? 'the partition is empty' : `offsets are ${earliest} to ${latest - 1n}`;
  throw new Failure(`${about}: no record at offset ${offset}; ${held}`);
}
