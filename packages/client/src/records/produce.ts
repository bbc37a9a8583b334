import { Failure } from '@weir/core';
import { apis, buildRecordBatch, type CompressionCodec, errors, zeroUuid } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { type LeaderAnswers, type LeaderRequest, requestFromLeaders, subject } from './leaders.ts';
import type { RememberedTopic } from './remembered-topic.ts';

type Acks = 'all' | '1' | '0';

export interface ProduceOptions {
  readonly acks: Acks;
  readonly codec: CompressionCodec;
}

export interface RecordToProduce {
  readonly key: Uint8Array | null;
  /** Null deletes the key from a compacted topic. */
  readonly value: Uint8Array | null;
  readonly headers?: readonly { readonly key: string; readonly value: Uint8Array | null }[];
}

const acksOnTheWire: Readonly<Record<Acks, number>> = { all: -1, '1': 1, '0': 0 };

/** Errors after which it is unknown whether the records were written. A retry could write them twice. */
const uncertainCodes: ReadonlySet<number> = new Set([
  errors.REQUEST_TIMED_OUT.code,
  errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND.code,
  errors.NETWORK_EXCEPTION.code,
]);

/** Records were sent, and it is unknown whether they were written. */
export class OutcomeUnknown extends Failure {
  override readonly name = 'OutcomeUnknown';
}

/** From this version on requests identify topics by id. */
const lowestVersionWithIds = 13;

/**
 * Writes records, one batch per partition, and returns the offset of the first record of each. With acks 0 the broker
 * sends no offset, and it is -1.
 */
export function produceRecords(
  cluster: KafkaCluster,
  topic: string | RememberedTopic,
  recordsByPartition: ReadonlyMap<number, readonly RecordToProduce[]>,
  options: ProduceOptions,
): Promise<LeaderAnswers<bigint>> {
  const timestamp = BigInt(Math.trunc(cluster.clock.nowMs()));
  const batches = new Map<number, Buffer>();
  for (const [partition, records] of recordsByPartition) {
    const stamped = records.map((record) => ({ ...record, timestamp }));
    batches.set(partition, buildRecordBatch(stamped, { codec: options.codec }));
  }
  return requestFromLeaders(
    cluster,
    topic,
    [...batches.keys()],
    produceRequest(cluster, batches, options.acks),
  );
}

function produceRequest(
  cluster: KafkaCluster,
  batches: ReadonlyMap<number, Buffer>,
  acks: Acks,
): LeaderRequest<bigint> {
  return async (leader, { name, topicId }, partitions) => {
    const body = {
      acks: acksOnTheWire[acks],
      timeoutMs: cluster.timeoutMs,
      topicData: [
        {
          name: name!,
          topicId,
          partitionData: partitions.map((index) => ({ index, records: batches.get(index)! })),
        },
      ],
    };
    const highestUseful = topicId === zeroUuid ? lowestVersionWithIds - 1 : undefined;
    if (acks === '0') {
      await leader.post(apis.Produce, body, { timeoutMs: cluster.timeoutMs, highestUseful });
      return new Map(partitions.map((partition) => [partition, -1n]));
    }
    const { responses } = await onlyOnce(leader, () =>
      leader.request(apis.Produce, body, { timeoutMs: cluster.timeoutMs, highestUseful }),
    );
    const results = new Map<number, bigint | Failure>();
    for (const answer of responses.flatMap((topic) => topic.partitionResponses)) {
      const { index, errorCode, errorMessage, baseOffset } = answer;
      const isFinal = uncertainCodes.has(errorCode);
      results.set(
        index,
        errorCode === errors.NONE.code
          ? baseOffset
          : new KafkaRequestFailed(subject(name!, index), errorCode, errorMessage, { isFinal }),
      );
    }
    return results;
  };
}

/** Does not retry after a lost connection, because it is unknown whether the records were written. */
async function onlyOnce<Answer>(leader: KafkaConnection, send: () => Promise<Answer>): Promise<Answer> {
  const wasOpen = !leader.isClosed;
  try {
    return await send();
  } catch (error) {
    if (!wasOpen || !(error instanceof ConnectionFailed)) throw error;
    throw new OutcomeUnknown(`${error.message}; the records may have been written`);
  }
}
