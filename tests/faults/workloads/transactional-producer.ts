import { buildRecordBatch } from '@weir/wire';
import { AnyBrokerClient, Refused, refuse } from '../../sim/any-broker-client.ts';
import type { Bootstrap } from '../../sim/bootstrap.ts';
import { ConnectionLost } from '../../sim/client.ts';
import type { ClientDeps } from '../../sim/deps.ts';
import type { Recorder } from '../history/recorder.ts';

const requestTimeoutMs = 3_000;
const transactionTimeoutMs = 8_000;
const abortChance = 0.2;
const requestsMax = 3;

/**
 * Writes transactions over several partitions with several requests each, and commits or aborts them. After a failure
 * it starts again under the next epoch, which aborts the open transaction.
 */
export class TransactionalProducer {
  readonly #world: ClientDeps;
  readonly #recorder: Recorder;
  readonly #bootstrap: Bootstrap;
  readonly #transactionalId: string;
  readonly #client: AnyBrokerClient;
  #producer: { readonly producerId: bigint; readonly producerEpoch: number } | undefined;
  #transactions = 0;
  #isFinishing = false;
  #isDone = false;
  #isStopped = false;

  constructor(world: ClientDeps, recorder: Recorder, bootstrap: Bootstrap, transactionalId: string) {
    this.#world = world;
    this.#recorder = recorder;
    this.#bootstrap = bootstrap;
    this.#transactionalId = transactionalId;
    this.#client = new AnyBrokerClient(world, bootstrap);
    this.#work().catch((error) => world.problem(error));
  }

  /** Whether it has finished with no open transaction. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Lets it end the open transaction, and start no other. */
  finish(): void {
    this.#isFinishing = true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#client.cut();
  }

  async #work(): Promise<void> {
    while (!this.#isStopped && !this.#isDone) {
      try {
        this.#producer ??= await this.#initialise();
        if (this.#isFinishing) this.#isDone = true;
        else await this.#transact(this.#producer);
      } catch (error) {
        if (!(error instanceof ConnectionLost || error instanceof Refused)) throw error;
        this.#world.note(`${this.#transactionalId}: ${error.message}`);
        this.#producer = undefined;
        this.#client.cut();
      }
      await new Promise<void>((resolve) => this.#world.clock.after(60, resolve));
    }
  }

  async #initialise(): Promise<{ readonly producerId: bigint; readonly producerEpoch: number }> {
    const body = {
      transactionalId: this.#transactionalId,
      transactionTimeoutMs,
      producerId: -1n,
      producerEpoch: -1,
    };
    const answer = await this.#client.request('InitProducerId', body, requestTimeoutMs);
    refuse('InitProducerId', answer.errorCode);
    return { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
  }

  async #transact(producer: { readonly producerId: bigint; readonly producerEpoch: number }): Promise<void> {
    const { random } = this.#world;
    const transaction = `${this.#transactionalId}-${this.#transactions++}`;
    const sequences = new Array<number>(this.#bootstrap.partitionCount).fill(0);
    let isCommitRequested = false;
    try {
      for (let left = 1 + random.below(requestsMax), number = 0; left > 0; left--, number++)
        await this.#write(transaction, number, producer, sequences);
      isCommitRequested = random.next() >= abortChance;
      if (isCommitRequested) this.#recorder.note({ type: 'askCommit', transaction });
      const body = { transactionalId: this.#transactionalId, ...producer, committed: isCommitRequested };
      const answer = await this.#client.request('EndTxn', body, requestTimeoutMs);
      refuse('EndTxn', answer.errorCode);
      this.#producer = { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
    } catch (error) {
      if (!isCommitRequested) this.#recorder.note({ type: 'aborted', transaction });
      throw error;
    }
    this.#recorder.note({ type: isCommitRequested ? 'committed' : 'aborted', transaction });
  }

  /** Sends one request with a batch for some of the partitions. */
  async #write(
    transaction: string,
    number: number,
    producer: { readonly producerId: bigint; readonly producerEpoch: number },
    sequences: number[],
  ): Promise<void> {
    const { random, clock } = this.#world;
    const { topicName, topicId, partitionCount } = this.#bootstrap;
    const first = random.below(partitionCount);
    const partitions = 1 + random.below(partitionCount);
    const values = new Map<number, readonly string[]>();
    for (let turn = 0; turn < partitions; turn++) {
      const partition = (first + turn) % partitionCount;
      const count = 1 + random.below(3);
      const ofPartition = Array.from(
        { length: count },
        (_, n) => `${transaction}/${number}/${partition}/${n}`,
      );
      values.set(partition, ofPartition);
      for (const value of ofPartition) {
        const written = { topic: topicName, partition, value, producer: this.#transactionalId, transaction };
        this.#recorder.note({ type: 'write', ...written });
      }
    }
    const timestamp = BigInt(Math.floor(clock.nowMs()));
    const partitionData = [...values].map(([index, texts]) => {
      const baseSequence = sequences[index]!;
      sequences[index] = baseSequence + texts.length;
      const records = texts.map((text) => ({ timestamp, key: null, value: Buffer.from(text) }));
      return {
        index,
        records: buildRecordBatch(records, { ...producer, baseSequence, isTransactional: true }),
      };
    });
    const { responses } = await this.#client.request(
      'Produce',
      {
        transactionalId: this.#transactionalId,
        acks: -1,
        timeoutMs: requestTimeoutMs,
        topicData: [{ name: topicName, topicId, partitionData }],
      },
      requestTimeoutMs,
    );
    const answers = responses[0]!.partitionResponses;
    for (const { index, errorCode, baseOffset } of answers) {
      if (errorCode !== 0) continue;
      for (const [n, value] of values.get(index)!.entries()) {
        const offset = Number(baseOffset) + n;
        this.#recorder.note({ type: 'acknowledge', topic: topicName, partition: index, value, offset });
      }
    }
    for (const { errorCode } of answers) refuse('Produce', errorCode);
  }
}
