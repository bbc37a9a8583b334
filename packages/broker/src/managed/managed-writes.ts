import type { AgentConfirmation, ManagedTopic } from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { ClusterView } from '../cluster/cluster-view.ts';
import {
  type AppendOutcome,
  type AppendResult,
  failedAppend,
  type ProducedBatch,
} from '../write-path/produced-batch.ts';
import type { AppendOptions, WritePath } from '../write-path/write-path.ts';
import { ManagedTopicsView } from './managed-topics-view.ts';
import type { SourceWriter } from './source-writer.ts';

interface ManagedWritesOptions {
  readonly view: Pick<ClusterView, 'records' | 'topicById'>;
  readonly source: SourceWriter;
  /** The source has answered a batch of a topic. */
  readonly onPassedOn: (topicName: string, batch: PassedOnBatch) => void;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface PassedOnBatch {
  readonly recordCount: number;
  readonly byteLength: number;
  /** Whether the source has stored it. */
  readonly isStored: boolean;
}

/**
 * How long an agent passes batches on after it has sent a confirmation that the leader answered. With the time that a
 * broker of the source may take, it is less than the leader waits for a silent agent (`agentSilenceMsMax`).
 */
const forwardLeaseMs = 3_000;

/** How long a broker of the source may take. */
const forwardTimeoutMs = 4_000;

interface Progress {
  underWay: number;
  /** The last epoch of which nothing of an earlier one is under way. */
  confirmedEpoch: number;
  forwardedRecords: number;
}

interface Forwarded {
  readonly migration: ManagedTopic;
  readonly rows: number[];
}

/**
 * What becomes of batches that clients write to topics that are being migrated: refused while the copy is read-only,
 * passed on to the source in the state PROXY, and asked for again during the cut-over.
 */
export class ManagedWrites {
  readonly #options: ManagedWritesOptions;
  readonly #managed: ManagedTopicsView;
  readonly #progress = new Map<string, Progress>();
  #confirmedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ManagedWritesOptions) {
    this.#options = options;
    this.#managed = new ManagedTopicsView(options.view);
  }

  /** Whether a topic is managed, and not handed over. */
  isManaged(topicId: string): boolean {
    return this.#managed.topics.has(topicId);
  }

  /** A write path that knows of managed topics. */
  around(writePath: WritePath): WritePath {
    return {
      append: (batches, options) =>
        this.#concerns(batches)
          ? this.#appendApart(writePath, batches, options)
          : writePath.append(batches, options),
      begin: (batches, options, onOutcome) => {
        if (!this.#concerns(batches)) writePath.begin(batches, options, onOutcome);
        else void this.#appendApart(writePath, batches, options).then(onOutcome);
      },
      appendInBackground: (batches) => writePath.appendInBackground(batches),
      drain: () => writePath.drain(),
      committed: () => writePath.committed(),
      abandon: () => writePath.abandon(),
    };
  }

  /** What the agent confirms now of each managed topic. */
  confirmations(): AgentConfirmation[] {
    return Array.from(this.#managed.topics, ([topicId, migration]) => {
      const progress = this.#progressOf(topicId);
      if (progress.underWay === 0 || migration.state === 'PROXY') progress.confirmedEpoch = migration.epoch;
      const { confirmedEpoch: epoch, forwardedRecords } = progress;
      return { topicId, epoch, forwardedRecords };
    });
  }

  /** The leader has answered a confirmation that was sent at a time of the monotonic clock. */
  confirmed(sentMs: number): void {
    this.#confirmedMs = Math.max(this.#confirmedMs, sentMs);
    for (const topicId of this.#progress.keys())
      if (!this.isManaged(topicId) && this.#progress.get(topicId)!.underWay === 0)
        this.#progress.delete(topicId);
  }

  #concerns(batches: readonly ProducedBatch[]): boolean {
    const { topics } = this.#managed;
    return topics.size > 0 && batches.some(({ topicId }) => topics.has(topicId));
  }

  async #appendApart(
    writePath: WritePath,
    batches: readonly ProducedBatch[],
    options: AppendOptions,
  ): Promise<AppendOutcome> {
    const { topics } = this.#managed;
    const results = new Array<AppendResult>(batches.length);
    const own: number[] = [];
    const forwarded = new Map<string, Forwarded>();
    for (const [row, batch] of batches.entries()) {
      const migration = topics.get(batch.topicId);
      const refusal = migration && this.#refusalOf(migration, batch);
      if (migration === undefined) own.push(row);
      else if (refusal !== undefined) results[row] = refusal;
      else {
        const known = forwarded.get(batch.topicId) ?? { migration, rows: [] };
        known.rows.push(row);
        forwarded.set(batch.topicId, known);
      }
    }
    const at = (rows: readonly number[]) => rows.map((row) => batches[row]!);
    // All of them begin in this turn: what a client sends later comes later.
    let throttleTimeMs = 0;
    const passedOn = Array.from(forwarded, async ([topicId, { migration, rows }]) => {
      const answer = await this.#forward(topicId, migration, at(rows), options.deadlineMs);
      for (const [index, row] of rows.entries()) results[row] = answer.results[index]!;
      throttleTimeMs = Math.max(throttleTimeMs, answer.throttleTimeMs);
    });
    const written = own.length === 0 ? undefined : writePath.append(at(own), options);
    await Promise.all(passedOn);
    const outcome = await written;
    for (const [index, row] of own.entries()) results[row] = outcome!.results[index]!;
    return { results, throttleTimeMs: Math.max(throttleTimeMs, outcome?.throttleTimeMs ?? 0) };
  }

  #refusalOf(migration: ManagedTopic, { topicId, transaction }: ProducedBatch): AppendResult | undefined {
    const { state, sourceTopic, pipelineId } = migration;
    if (state === 'BLOCKED') return failedAppend('NOT_LEADER_OR_FOLLOWER');
    const name = this.#options.view.topicById(topicId)?.name ?? sourceTopic;
    const what = `topic ${name} is a copy of ${sourceTopic} that migration ${pipelineId} keeps`;
    // An agent that no leader has answered lately may be the last one to know that the topic is forwarded by now.
    if (state === 'REPLICATING' && !this.#isLeased()) return failedAppend('NOT_LEADER_OR_FOLLOWER');
    if (state === 'REPLICATING') return refused(`${what}: write to the source until it is cut over`);
    return transaction === undefined
      ? undefined
      : refused(`${what}: transactions are not passed on; write them to the source until it is cut over`);
  }

  async #forward(
    topicId: string,
    migration: ManagedTopic,
    batches: readonly ProducedBatch[],
    wantedDeadlineMs: number,
  ): Promise<AppendOutcome> {
    const { source, clock, view, onPassedOn } = this.#options;
    const progress = this.#progressOf(topicId);
    progress.underWay++;
    try {
      const outcome = await source.write({
        migration,
        batches,
        deadlineMs: Math.min(wantedDeadlineMs, clock.monotonicMs() + forwardTimeoutMs),
        maySend: () => this.#maySend(topicId, migration.pipelineId),
      });
      const topicName = view.topicById(topicId)?.name ?? migration.sourceTopic;
      for (const [index, { error }] of outcome.results.entries()) {
        const { recordCount, bytes } = batches[index]!;
        const isStored = error === 'NONE';
        if (isStored) progress.forwardedRecords += recordCount;
        onPassedOn(topicName, { recordCount, byteLength: bytes.length, isStored });
      }
      return outcome;
    } finally {
      progress.underWay--;
    }
  }

  /** Whether the topic is still in the state PROXY, as far as the agent can know. */
  #maySend(topicId: string, pipelineId: string): boolean {
    const migration = this.#managed.topics.get(topicId);
    return this.#isLeased() && migration?.state === 'PROXY' && migration.pipelineId === pipelineId;
  }

  /** Whether a leader has answered a confirmation lately. */
  #isLeased(): boolean {
    return this.#options.clock.monotonicMs() - this.#confirmedMs < forwardLeaseMs;
  }

  #progressOf(topicId: string): Progress {
    let progress = this.#progress.get(topicId);
    if (progress === undefined) {
      progress = { underWay: 0, confirmedEpoch: 0, forwardedRecords: 0 };
      this.#progress.set(topicId, progress);
    }
    return progress;
  }
}

function refused(message: string): AppendResult {
  return { ...failedAppend('POLICY_VIOLATION'), message };
}
