import type { FileCommit, TransactionalProducer } from '@weir/cluster';
import { buildLogFile, logFileKey, newFileId } from '@weir/storage';
import { buildRecordBatch } from '@weir/wire';
import type { LifeDeps } from './deps.ts';
import type { LifeAgent } from './life-agent.ts';
import { LogProblem } from './log-problem.ts';
import type { AnyLogModel, SentBatch, Transaction } from './partition-model.ts';
import { clusterId } from './setting.ts';

/** The producer of a transactional batch. */
interface TransactionalBatch {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly transaction: Transaction;
}

export interface BatchDraft {
  readonly partition: AnyLogModel;
  readonly recordCount: number;
  readonly timestampMs: number;
  readonly valueBytes: number;
  /** Null for records without keys. */
  readonly keys: readonly (string | null)[];
  readonly tombstones?: readonly boolean[];
  readonly producer?: TransactionalBatch | undefined;
}

interface DraftedBatch {
  readonly sent: SentBatch;
  readonly bytes: Buffer;
  readonly draft: BatchDraft;
}

/** How often a commit is tried, and the pause between two attempts, of timers. */
const commitAttempts = 3;
const retryMs = 700;
/** How long a client waits for its agent, and how often it ends a transaction, of timers. */
const answerMsMax = 5_000;
const endAttempts = 20;

function drafted(draft: BatchDraft, number: number): DraftedBatch {
  const { partition, recordCount, timestampMs, valueBytes, keys, producer } = draft;
  const id = `b${number}`;
  const records = Array.from({ length: recordCount }, (_, index) => ({
    key: keys[index] ?? null,
    value: draft.tombstones?.[index] === true ? null : `${id}.${index}`.padEnd(valueBytes, '.'),
  }));
  const bytes = buildRecordBatch(
    records.map(({ key, value }) => ({
      timestamp: BigInt(timestampMs),
      key: key === null ? null : Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
    })),
    producer === undefined
      ? {}
      : {
          producerId: BigInt(producer.producerId),
          producerEpoch: producer.producerEpoch,
          baseSequence: producer.baseSequence,
          isTransactional: true,
        },
  );
  const sent: SentBatch = {
    id,
    partition,
    records,
    timestampMs,
    bytes: bytes.length,
    transaction: producer?.transaction,
    state: 'sent',
  };
  return { sent, bytes, draft };
}

/**
 * Writes a file as an agent does: uploads it and commits it. Returns whether every batch was acknowledged, and the
 * commit so that it can be repeated; never returns if the agent dies.
 */
export async function writeFile(
  { counts }: LifeDeps,
  agent: LifeAgent,
  drafts: readonly BatchDraft[],
): Promise<{ readonly isAcknowledged: boolean; repeat: () => Promise<void> }> {
  const batches = drafts.map((draft) => drafted(draft, ++counts.batchesWritten));
  const { ingestion } = agent;
  const fileId = newFileId(agent.clock.nowMs(), agent.random, ingestion);
  if (ingestion > 0) counts.filesInSecondBucket++;
  const built = buildLogFile({
    clusterId,
    fileId,
    batches: batches.map(({ draft, bytes }) => ({
      topicId: draft.partition.topicId,
      partition: draft.partition.partition,
      bytes,
    })),
  });
  await agent.store.put(logFileKey(clusterId, fileId), built.slices);
  const inFile = batches
    .map((batch, index) => ({
      batch,
      order: built.placed.order[index]!,
      byteStart: built.placed.byteStart[index]!,
    }))
    .sort((a, b) => a.order - b.order);
  const commit = commitOf(fileId, built.fileBytes, inFile);
  for (const { batch } of inFile) batch.sent.partition.sent(batch.sent);
  counts.filesWritten++;
  counts.recordsWritten += batches.reduce((sum, { sent }) => sum + sent.records.length, 0);
  const send = async (attempts: number) => {
    for (let left = attempts; left > 0; left--) {
      const [result] = await agent.port.commitFiles([commit]).catch(() => []);
      if (result === undefined) {
        for (const { batch } of inFile) if (batch.sent.state === 'sent') batch.sent.state = 'doubt';
        await new Promise<void>((resolve) => agent.clock.after(retryMs, resolve));
        continue;
      }
      for (const [row, { batch }] of inFile.entries()) {
        const { sent } = batch;
        if (result.error[row] === 0) sent.partition.acknowledged(sent, result.baseOffset[row]!);
        else sent.partition.refused(sent);
      }
      return;
    }
  };
  await send(commitAttempts);
  return {
    isAcknowledged: inFile.every(({ batch }) => batch.sent.state === 'acknowledged'),
    repeat: () => {
      counts.commitsRepeated++;
      return send(1);
    },
  };
}

function commitOf(
  fileId: string,
  fileBytes: number,
  inFile: readonly { readonly batch: DraftedBatch; readonly byteStart: number }[],
): FileCommit {
  const topicIds = [...new Set(inFile.map(({ batch }) => batch.draft.partition.topicId))];
  const producers = inFile.map(({ batch }) => batch.draft.producer);
  const transactionalIds = [...new Set(producers.flatMap((producer) => producer?.transactionalId ?? []))];
  return {
    fileId,
    fileBytes,
    topicIds,
    topic: Uint32Array.from(inFile, ({ batch }) => topicIds.indexOf(batch.draft.partition.topicId)),
    partition: Uint32Array.from(inFile, ({ batch }) => batch.draft.partition.partition),
    byteStart: Uint32Array.from(inFile, ({ byteStart }) => byteStart),
    byteLength: Uint32Array.from(inFile, ({ batch }) => batch.bytes.length),
    recordCount: Uint32Array.from(inFile, ({ batch }) => batch.draft.recordCount),
    maxTimestampMs: Float64Array.from(inFile, ({ batch }) => batch.draft.timestampMs),
    producerId: Float64Array.from(producers, (producer) => producer?.producerId ?? -1),
    producerEpoch: Int16Array.from(producers, (producer) => producer?.producerEpoch ?? -1),
    baseSequence: Int32Array.from(producers, (producer) => producer?.baseSequence ?? -1),
    ...(transactionalIds.length === 0
      ? {}
      : {
          transactions: {
            transactionalIds,
            transaction: Int32Array.from(producers, (producer) =>
              producer === undefined ? -1 : transactionalIds.indexOf(producer.transactionalId),
            ),
            addsPartition: Uint8Array.from(producers, (producer) => (producer === undefined ? 0 : 1)),
          },
        }),
  };
}

type Initialised = Pick<TransactionalProducer, 'producerId' | 'producerEpoch'>;

/** A client with a transactional id. It is no process: it retries until it has an answer. */
export class TransactionalClient {
  readonly #transactionalId: string;
  readonly #world: LifeDeps;
  readonly #agent: () => LifeAgent;
  #producer: Initialised | undefined;
  #sequences = new Map<AnyLogModel, number>();
  #request = 0;

  constructor(world: LifeDeps, transactionalId: string, agent: () => LifeAgent) {
    this.#world = world;
    this.#transactionalId = transactionalId;
    this.#agent = agent;
  }

  /** Runs one transaction. `end` is how the client wants to end it; `abandon` leaves it to its timeout. */
  async run(
    steps: readonly (readonly Omit<BatchDraft, 'producer'>[])[],
    end: 'commit' | 'abort' | 'abandon',
    timeoutMs: number,
    pause: () => Promise<void>,
  ): Promise<void> {
    const { counts } = this.#world;
    this.#producer ??= await this.#init(timeoutMs);
    const producer = this.#producer;
    if (producer === undefined) return;
    const transaction: Transaction = { state: 'open' };
    let isWhole = true;
    for (const drafts of steps) {
      isWhole = (await this.#write(drafts, producer, transaction)) && isWhole;
      if (!isWhole) break;
      await pause();
    }
    if (end === 'abandon') {
      counts.transactionsAbandoned++;
      transaction.state = 'aborted';
      this.#forget();
      return;
    }
    const isCommit = end === 'commit' && isWhole;
    // The answer may come after readers have seen the end.
    if (isCommit) transaction.state = 'unknown';
    else transaction.state = 'aborted';
    const answer = await this.#end(producer, isCommit);
    if (answer?.error !== 'NONE') {
      this.#forget();
      return;
    }
    if (isCommit) counts.transactionsCommitted++;
    else counts.transactionsAborted++;
    if (isCommit) {
      if ((transaction as Transaction).state === 'aborted')
        throw new LogProblem(`${this.#transactionalId} committed a transaction that readers saw aborted`);
      transaction.state = 'committed';
    }
    if (answer.producerEpoch !== producer.producerEpoch || answer.producerId !== producer.producerId)
      this.#sequences.clear();
    this.#producer = answer;
  }

  #forget(): void {
    this.#producer = undefined;
    this.#sequences.clear();
  }

  async #init(timeoutMs: number): Promise<Initialised | undefined> {
    const request = { transactionalId: this.#transactionalId, timeoutMs, producerId: -1, producerEpoch: -1 };
    this.#sequences.clear();
    const answer = await this.#within(answerMsMax, this.#agent().port.initTransactionalProducer(request));
    return answer?.error === 'NONE' ? answer : undefined;
  }

  async #write(
    drafts: readonly Omit<BatchDraft, 'producer'>[],
    producer: Initialised,
    transaction: Transaction,
  ): Promise<boolean> {
    const transactionalId = this.#transactionalId;
    const written = drafts.map((draft) => {
      const baseSequence = this.#sequences.get(draft.partition) ?? 0;
      this.#sequences.set(draft.partition, baseSequence + draft.recordCount);
      return { ...draft, producer: { transactionalId, ...producer, baseSequence, transaction } };
    });
    const done = await this.#within(answerMsMax, writeFile(this.#world, this.#agent(), written));
    return done?.isAcknowledged ?? false;
  }

  /** Ends the transaction; repeats until there is an answer. */
  async #end(producer: Initialised, isCommit: boolean): Promise<TransactionalProducer | undefined> {
    const origin = { connection: this.#transactionalId, request: ++this.#request };
    const request = {
      transactionalId: this.#transactionalId,
      ...producer,
      origin,
      isCommit,
      bumpsEpoch: true,
    };
    for (let attempt = 0; attempt < endAttempts; attempt++) {
      const answer = await this.#within(1_000, this.#agent().port.endTransaction(request));
      if (answer !== undefined && answer.error !== 'CONCURRENT_TRANSACTIONS') return answer;
      await this.#world.wait(1_000);
    }
    return undefined;
  }

  /** Waits for an answer, which does not come if the agent dies; `undefined` if it is an error or does not come. */
  #within<Answer>(longestMs: number, answer: Promise<Answer>): Promise<Answer | undefined> {
    return Promise.race([
      answer.catch((error: Error) => {
        if (error instanceof LogProblem) throw error;
        return undefined;
      }),
      this.#world.wait(longestMs).then(() => undefined),
    ]);
  }
}
