import { apis, buildRecordBatch, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { findCoordinator } from '../coordinator.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { allAnswers, requestFromLeaders, subject } from './leaders.ts';
import type { RecordToProduce } from './produce.ts';
import type { RememberedTopic } from './remembered-topic.ts';

interface TransactionalProducerOptions {
  readonly transactionalId: string;
  /** The cluster aborts a transaction that takes longer. */
  readonly transactionTimeoutMs: number;
}

/** Records of one topic by partition. */
export interface TopicRecords {
  readonly topic: RememberedTopic;
  readonly byPartition: ReadonlyMap<number, readonly RecordToProduce[]>;
}

/** Later versions of AddPartitionsToTxn are for brokers. */
const highestAddVersion = 3;
/** From the next version on, writes add partitions implicitly, and every transaction has an epoch of its own. */
const highestProduceVersion = 11;
const highestEndVersion = 4;

interface ProducerIdentity {
  readonly producerId: bigint;
  readonly producerEpoch: number;
}

/**
 * A producer whose transactions are written as a whole or not at all. One transaction at a time. After an error the
 * producer begins anew with `open`, which aborts what was left open.
 */
export class TransactionalProducer {
  readonly #cluster: KafkaCluster;
  readonly #options: TransactionalProducerOptions;
  #identity: ProducerIdentity = { producerId: -1n, producerEpoch: -1 };
  /** The number of the next record, by topic and partition. */
  readonly #sequences = new Map<string, number>();

  constructor(cluster: KafkaCluster, options: TransactionalProducerOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Gets the producer's id and a new epoch, which excludes earlier producers with the same transactional id. */
  async open(): Promise<void> {
    const { transactionalId, transactionTimeoutMs } = this.#options;
    this.#identity = await this.#atCoordinator(async (coordinator) => {
      const { errorCode, producerId, producerEpoch } = await coordinator.request(
        apis.InitProducerId,
        { transactionalId, transactionTimeoutMs },
        { timeoutMs: this.#cluster.timeoutMs },
      );
      this.#throwUnlessNone(errorCode);
      return { producerId, producerEpoch };
    });
    this.#sequences.clear();
  }

  /** Writes records of several topics in one transaction, and commits or aborts it. */
  async write(topics: readonly TopicRecords[], outcome: 'commit' | 'abort'): Promise<void> {
    await this.#addPartitions(topics);
    await Promise.all(topics.map((records) => this.#produce(records)));
    await this.#end(outcome === 'commit');
  }

  async #addPartitions(topics: readonly TopicRecords[]): Promise<void> {
    const { transactionalId } = this.#options;
    const { producerId, producerEpoch } = this.#identity;
    await this.#atCoordinator(async (coordinator) => {
      const { resultsByTopicV3AndBelow: results } = await coordinator.request(
        apis.AddPartitionsToTxn,
        {
          v3AndBelowTransactionalId: transactionalId,
          v3AndBelowProducerId: producerId,
          v3AndBelowProducerEpoch: producerEpoch,
          v3AndBelowTopics: topics.map(({ topic, byPartition }) => ({
            name: topic.name,
            partitions: [...byPartition.keys()],
          })),
        },
        { timeoutMs: this.#cluster.timeoutMs, highestUseful: highestAddVersion },
      );
      for (const { resultsByPartition } of results)
        for (const { partitionErrorCode } of resultsByPartition) this.#throwUnlessNone(partitionErrorCode);
    });
  }

  /** A write that is repeated has the same sequence numbers, so that it is not appended twice. */
  async #produce({ topic, byPartition }: TopicRecords): Promise<void> {
    const { timeoutMs, clock } = this.#cluster;
    const timestamp = BigInt(Math.trunc(clock.nowMs()));
    const batches = new Map<number, Buffer>();
    for (const [partition, records] of byPartition) {
      const stamped = records.map((record) => ({ ...record, timestamp }));
      const baseSequence = this.#sequences.get(subject(topic.name, partition)) ?? 0;
      batches.set(
        partition,
        buildRecordBatch(stamped, { ...this.#identity, baseSequence, isTransactional: true }),
      );
    }
    allAnswers(
      await requestFromLeaders(
        this.#cluster,
        topic,
        [...batches.keys()],
        async (leader, found, partitions) => {
          const { responses } = await leader.request(
            apis.Produce,
            {
              transactionalId: this.#options.transactionalId,
              acks: -1,
              timeoutMs,
              topicData: [
                {
                  name: found.name!,
                  partitionData: partitions.map((index) => ({ index, records: batches.get(index)! })),
                },
              ],
            },
            { timeoutMs, highestUseful: highestProduceVersion },
          );
          return new Map(
            responses
              .flatMap(({ partitionResponses }) => partitionResponses)
              .map(({ index, errorCode, errorMessage, baseOffset }) => [
                index,
                errorCode === errors.NONE.code
                  ? baseOffset
                  : new KafkaRequestFailed(subject(topic.name, index), errorCode, errorMessage),
              ]),
          );
        },
      ),
    );
    for (const [partition, records] of byPartition) {
      const key = subject(topic.name, partition);
      // Numbers are int32 and continue at 0.
      this.#sequences.set(key, ((this.#sequences.get(key) ?? 0) + records.length) & 0x7fff_ffff);
    }
  }

  async #end(committed: boolean): Promise<void> {
    const { transactionalId } = this.#options;
    await this.#atCoordinator(async (coordinator) => {
      const { errorCode } = await coordinator.request(
        apis.EndTxn,
        { transactionalId, ...this.#identity, committed },
        { timeoutMs: this.#cluster.timeoutMs, highestUseful: highestEndVersion },
      );
      this.#throwUnlessNone(errorCode);
    });
  }

  #atCoordinator<Result>(work: (coordinator: KafkaConnection) => Promise<Result>): Promise<Result> {
    return this.#cluster.retrying(async () => {
      const coordinator = await findCoordinator(this.#cluster, this.#options.transactionalId, 'transaction');
      return work(await this.#cluster.connectionTo(coordinator));
    });
  }

  #throwUnlessNone(errorCode: number): void {
    if (errorCode === errors.NONE.code) return;
    throw new KafkaRequestFailed(`transactional id ${this.#options.transactionalId}`, errorCode);
  }
}
