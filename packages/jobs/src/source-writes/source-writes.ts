import type { AppendOutcome, AppendResult, ProducedBatch, SourceWrite, SourceWriter } from '@weir/broker';
import type { ClusterPort, ManagedTopic, MigrationSource } from '@weir/cluster';
import { type Clock, type Log, MiB, Outage, pauseUnlessStopped } from '@weir/core';
import type { SourceCluster } from '@weir/migration/source';
import { apis, type ErrorName, errors, zeroUuid } from '@weir/wire';

type SourceMetadata = Awaited<ReturnType<SourceCluster['metadata']>>;
type TopicMetadata = SourceMetadata['topics'][number];

/** The cluster of a migration, of which writes need the brokers. */
export interface WrittenSource {
  metadata(topics: readonly string[]): Promise<Pick<SourceMetadata, 'topics'>>;
  connectionTo(
    brokerId: number,
  ): Promise<Pick<Awaited<ReturnType<SourceCluster['connectionTo']>>, 'request'>>;
  close(): Promise<void>;
}

interface SourceWritesOptions {
  readonly port: Pick<ClusterPort, 'openMigrationSource'>;
  readonly open: (source: MigrationSource, stop: AbortSignal) => Promise<WrittenSource>;
  readonly clock: Clock;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/** Bytes on their way to a source. What comes beyond waits, and with it what its clients send next. */
const underWayBytesMax = 64 * MiB;
/** How long a configuration is believed: another one, or other secrets, are asked for after that. */
const configurationMs = 10_000;
/** How long after a failure a source is opened anew. */
const reopenMs = 1_000;
/** The longest pause that a broker may ask for. Brokers of Apache ask for 11 s at most by default. */
const throttleMsMax = 30_000;
/** The first version of Produce with topic ids, which a source that recreates a topic would take for another one. */
const highestVersionWithNames = 12;
/** Of the answer, beyond what the broker may take. */
const answerMarginMs = 1_000;

const nameOfCode: ReadonlyMap<number, ErrorName> = new Map(
  Object.entries(errors).map(([name, { code }]) => [code, name as ErrorName] as const),
);

/** Errors after which the leaders of partitions are looked up again. */
const movedErrors: ReadonlySet<ErrorName> = new Set<ErrorName>([
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'KAFKA_STORAGE_ERROR',
  'BROKER_NOT_AVAILABLE',
  'REPLICA_NOT_AVAILABLE',
]);

/**
 * Writes to the sources of migrations what clients write here. Nothing is retried: the client that gets an error asks
 * again, as it would ask the source, and so keeps the order of its batches.
 */
export class SourceWrites implements SourceWriter {
  readonly #options: SourceWritesOptions;
  readonly #sources = new Map<string, Source>();

  constructor(options: SourceWritesOptions) {
    this.#options = options;
  }

  write(write: SourceWrite): Promise<AppendOutcome> {
    const { pipelineId } = write.migration;
    let source = this.#sources.get(pipelineId);
    if (source === undefined) {
      source = new Source(pipelineId, this.#options);
      this.#sources.set(pipelineId, source);
    }
    return source.write(write);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#sources.values(), (source) => source.close()));
    this.#sources.clear();
  }
}

interface Opened {
  readonly key: string;
  readonly cluster: WrittenSource;
  readonly stop: AbortController;
  /** By name of the source. */
  readonly topics: Map<string, TopicMetadata>;
  /** The last request of each broker that has left this process. */
  readonly sent: Map<number, Promise<void>>;
  /** Until when a broker wants no more requests, on the monotonic clock: it reads none before. */
  readonly throttledUntilMs: Map<number, number>;
}

/** What one broker gets of a write. */
interface Share {
  readonly rows: number[];
}

class Source {
  readonly #pipelineId: string;
  readonly #options: SourceWritesOptions;
  readonly #outage: Outage;
  #opened: Opened | undefined;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #failedMs = Number.NEGATIVE_INFINITY;
  /** Writes are routed one after another, so that those of a partition keep their order. */
  #routed: Promise<unknown> = Promise.resolve();
  #underWayBytes = 0;
  #whenLess: (() => void)[] = [];

  constructor(pipelineId: string, options: SourceWritesOptions) {
    this.#pipelineId = pipelineId;
    this.#options = options;
    this.#outage = new Outage(options.clock);
  }

  async write(write: SourceWrite): Promise<AppendOutcome> {
    const bytes = write.batches.reduce((sum, batch) => sum + batch.bytes.length, 0);
    const routing = this.#routed.then(() => this.#route(write, bytes));
    this.#routed = routing.catch(() => undefined);
    try {
      // The outer promise is that of the routing, the inner ones those of the answers.
      const { answers } = await routing;
      return await answers;
    } catch (error) {
      this.#failed(error);
      return { results: write.batches.map(() => failed('NOT_LEADER_OR_FOLLOWER')), throttleTimeMs: 0 };
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.stop.abort();
    await opened?.cluster.close();
  }

  /** Finds the brokers and begins to write. Resolves when everything is in the order in which it leaves. */
  async #route(
    { migration, batches, deadlineMs, maySend }: SourceWrite,
    bytes: number,
  ): Promise<{ readonly answers: Promise<AppendOutcome> }> {
    const { clock } = this.#options;
    let throttleTimeMs = 0;
    while (this.#underWayBytes > 0 && this.#underWayBytes + bytes > underWayBytesMax)
      await new Promise<void>((resolve) => this.#whenLess.push(resolve));
    if (clock.monotonicMs() >= deadlineMs)
      return {
        answers: Promise.resolve({ results: batches.map(() => failed('REQUEST_TIMED_OUT')), throttleTimeMs }),
      };
    const opened = await this.#open();
    const topic = await this.#topicOf(opened, migration);
    const results = new Array<AppendResult>(batches.length);
    const shares = new Map<number, Share>();
    for (const [row, { partition }] of batches.entries()) {
      const leader =
        topic.partitions.find(({ partitionIndex }) => partitionIndex === partition)?.leaderId ?? -1;
      if (leader < 0) {
        opened.topics.delete(migration.sourceTopic);
        results[row] = failed('NOT_LEADER_OR_FOLLOWER');
        continue;
      }
      const share = shares.get(leader) ?? { rows: [] };
      share.rows.push(row);
      shares.set(leader, share);
    }
    this.#underWayBytes += bytes;
    const parts = Array.from(shares, async ([leader, { rows }]) => {
      const answers = await this.#send(
        opened,
        leader,
        migration,
        rows.map((row) => batches[row]!),
        deadlineMs,
        maySend,
      );
      for (const [index, row] of rows.entries()) results[row] = answers[index]!;
      throttleTimeMs = Math.max(throttleTimeMs, this.#throttledMs(opened, leader));
    });
    const answers = Promise.all(parts)
      .then(() => ({ results, throttleTimeMs }))
      .finally(() => {
        this.#underWayBytes -= bytes;
        for (const resolve of this.#whenLess.splice(0)) resolve();
      });
    return { answers };
  }

  /** Sends to one broker, after what was routed to it before. */
  async #send(
    opened: Opened,
    leader: number,
    { sourceTopic }: ManagedTopic,
    batches: readonly ProducedBatch[],
    deadlineMs: number,
    maySend: () => boolean,
  ): Promise<readonly AppendResult[]> {
    const { clock } = this.#options;
    const before = opened.sent.get(leader);
    let release = () => {};
    const sent = new Promise<void>((resolve) => {
      release = resolve;
    });
    opened.sent.set(leader, sent);
    let hasLeft = false;
    try {
      await before;
      const connection = await opened.cluster.connectionTo(leader);
      const throttledMs = Math.min(this.#throttledMs(opened, leader), deadlineMs - clock.monotonicMs());
      if (throttledMs > 0) await pauseUnlessStopped(clock, throttledMs, opened.stop.signal);
      const timeoutMs = Math.floor(deadlineMs - clock.monotonicMs());
      if (timeoutMs <= 0) return batches.map(() => failed('REQUEST_TIMED_OUT'));
      if (!maySend()) return batches.map(() => failed('NOT_LEADER_OR_FOLLOWER'));
      const partitionData = batches.map(({ partition, bytes }) => ({
        index: partition,
        // The connection may still have the bytes when the client has been answered.
        records: Buffer.from(bytes),
      }));
      hasLeft = true;
      const answer = connection.request(
        apis.Produce,
        {
          transactionalId: null,
          acks: -1,
          timeoutMs,
          topicData: [{ name: sourceTopic, topicId: zeroUuid, partitionData }],
        },
        { timeoutMs: timeoutMs + answerMarginMs, highestUseful: highestVersionWithNames },
      );
      release();
      const { responses, throttleTimeMs } = await answer;
      this.#worked();
      if (throttleTimeMs > 0)
        opened.throttledUntilMs.set(leader, clock.monotonicMs() + Math.min(throttleTimeMs, throttleMsMax));
      return this.#resultsOf(
        opened,
        sourceTopic,
        batches,
        responses.flatMap((one) => one.partitionResponses),
      );
    } catch (error) {
      this.#failed(error);
      opened.topics.delete(sourceTopic);
      // What has left may have been written.
      return batches.map(() => failed(hasLeft ? 'REQUEST_TIMED_OUT' : 'NOT_LEADER_OR_FOLLOWER'));
    } finally {
      release();
      if (opened.sent.get(leader) === sent) opened.sent.delete(leader);
    }
  }

  /** How long a broker wants no more requests. Clients wait as long: what waits here is not read from them. */
  #throttledMs({ throttledUntilMs }: Opened, leader: number): number {
    const untilMs = throttledUntilMs.get(leader);
    return untilMs === undefined ? 0 : Math.max(0, Math.ceil(untilMs - this.#options.clock.monotonicMs()));
  }

  #resultsOf(
    opened: Opened,
    sourceTopic: string,
    batches: readonly ProducedBatch[],
    answers: readonly {
      readonly index: number;
      readonly errorCode: number;
      readonly errorMessage: string | null;
      readonly baseOffset: bigint;
      readonly logStartOffset: bigint;
    }[],
  ): AppendResult[] {
    const byPartition = new Map(answers.map((answer) => [answer.index, answer]));
    return batches.map(({ partition }) => {
      const answer = byPartition.get(partition);
      if (answer === undefined) return failed('REQUEST_TIMED_OUT');
      const error = nameOfCode.get(answer.errorCode) ?? 'UNKNOWN_SERVER_ERROR';
      if (movedErrors.has(error)) opened.topics.delete(sourceTopic);
      if (error === 'NONE')
        return {
          error,
          baseOffset: Number(answer.baseOffset),
          logStartOffset: Number(answer.logStartOffset),
        };
      // The client cannot ask the source for what the topic is named there.
      const known = error === 'UNKNOWN_TOPIC_OR_PARTITION' ? 'NOT_LEADER_OR_FOLLOWER' : error;
      const message = `the source says ${error}${answer.errorMessage === null ? '' : `: ${answer.errorMessage}`}`;
      return { ...failed(known), message };
    });
  }

  async #topicOf(opened: Opened, { sourceTopic, sourceTopicId }: ManagedTopic): Promise<TopicMetadata> {
    const known = opened.topics.get(sourceTopic);
    if (known !== undefined) return known;
    const { topics } = await opened.cluster.metadata([sourceTopic]);
    const topic = topics.find(({ name }) => name === sourceTopic);
    if (topic === undefined || topic.errorCode !== errors.NONE.code)
      throw new Error(`the source has no topic ${sourceTopic} at the moment`);
    // What is written to a topic that was made anew would not be copied.
    const { topicId } = topic;
    if (sourceTopicId !== '' && topicId !== zeroUuid && topicId !== sourceTopicId)
      throw new Error(`topic ${sourceTopic} of the source was deleted and made again`);
    opened.topics.set(sourceTopic, topic);
    return topic;
  }

  async #open(): Promise<Opened> {
    const { port, open, clock, stopping } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#opened !== undefined && nowMs - this.#checkedMs < configurationMs) return this.#opened;
    if (this.#opened === undefined && nowMs - this.#failedMs < reopenMs)
      throw new Error('the source could not be opened a moment ago');
    const source = await port.openMigrationSource(this.#pipelineId);
    if (source === null) {
      await this.close();
      throw new Error('the migration is paused or gone');
    }
    this.#checkedMs = nowMs;
    const key = `${source.configurationId} ${source.secretsDigest ?? ''}`;
    if (this.#opened?.key === key) return this.#opened;
    await this.close();
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, stopping]);
    const cluster = await open(source, signal);
    this.#opened = { key, cluster, stop, topics: new Map(), sent: new Map(), throttledUntilMs: new Map() };
    return this.#opened;
  }

  #worked(): void {
    const outage = this.#outage.ended();
    if (outage !== undefined) this.#options.log.info('recovered writes to the source', outage);
  }

  #failed(error: unknown): void {
    this.#failedMs = this.#options.clock.monotonicMs();
    const failure = this.#outage.failed(error instanceof Error ? error.message : error);
    if (failure !== undefined)
      this.#options.log.warn('failed to pass batches on to the source', {
        pipelineId: this.#pipelineId,
        ...failure,
      });
  }
}

function failed(error: ErrorName): AppendResult {
  return { error, baseOffset: -1, logStartOffset: -1 };
}
