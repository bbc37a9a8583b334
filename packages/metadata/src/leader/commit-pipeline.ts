import { type ClusterChange, ClusterUnavailable, type FileContent, type JournalState } from '@weir/cluster';
import { type Clock, type Log, Outage } from '@weir/core';
import { Fenced, type Journal } from '@weir/journal';
import { journalLimits } from '@weir/journal/limits';
import { type Command, MalformedCommand, type ReplyOf } from '@weir/machine';
import { metadataLimits } from '../limits.ts';
import type { CommitMetrics } from './leader-metrics.ts';
import type { Machine } from './machine-kind.ts';
import type { Replica } from './replica.ts';

interface PipelineOptions {
  readonly replica: Replica;
  readonly journal: Journal;
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly retryMs: number;
  readonly metrics: CommitMetrics;
  /** Whether no other process can be the leader yet, by our clock. */
  readonly isLeaseValid: () => boolean;
  /** Whether what the journal has may be acknowledged; otherwise `whenKnown` calls its listener with that later. */
  readonly mayAcknowledge: () => boolean;
  readonly whenKnown: (listener: (mayAcknowledge: boolean) => void) => void;
  /** Receives durable changes, in order. */
  readonly onChanges: (changes: readonly ClusterChange[]) => void;
  /** The machine is ahead of the journal and cannot continue. Called once. */
  readonly onFailed: (error: Error) => void;
}

/** A caller that waits until everything that the machine had executed before its call is durable. */
interface Waiting {
  readonly entry: Buffer | undefined;
  /** Files that become durable with the entry. */
  readonly contents?: readonly FileContent[] | undefined;
  readonly changes: readonly ClusterChange[];
  readonly release: () => void;
  readonly refuse: (error: Error) => void;
}

/** An append that is repeated until it is stored. */
interface Append {
  readonly entries: readonly Buffer[];
  readonly contents: readonly FileContent[];
  readonly startMs: number;
  /** Failures so far. */
  outage?: Outage;
}

/**
 * Group commit: the commands of one leader on their way to the journal.
 *
 * A command is executed at once against the machine, which is therefore ahead of the journal. Entries collect while an
 * append is running, and go out together in the next. No result of the machine leaves before all state behind it is
 * durable: replies and changes wait for their own entry, and answers to questions for the last entry that was executed
 * before them. So no client ever sees an offset that a crash could undo, there is only one machine in memory, and a
 * question costs no more than the running append; without one it is answered at once.
 *
 * A successful append proves that no other process led at that time, after the question arrived and before it was
 * answered. An answer that waited for no append relies on the lease, which the caller must check first.
 */
export class CommitPipeline {
  readonly #options: PipelineOptions;
  readonly #machine: Machine;
  #queue: Waiting[] = [];
  #queueBytes = 0;
  /** Callers that wait for the running append. */
  #running: Waiting[] | undefined;
  #runningBytes = 0;
  /** Callers that are being released. */
  #releasing: Waiting[] | undefined;
  #durablePosition: number;
  #isMachineSound = true;
  #lastNowMs = 0;
  #failure: Error | undefined;
  #isDraining = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#machine = options.replica.machine;
    this.#durablePosition = options.replica.position;
  }

  /** The position of the journal. */
  get journal(): JournalState {
    return { epoch: this.#options.epoch, position: this.#durablePosition };
  }

  /** Whether the machine has no state beyond the journal, and can continue as that of a standby. */
  get isClean(): boolean {
    return this.#isMachineSound && this.#options.replica.position === this.#durablePosition;
  }

  /**
   * Executes a command; resolves with its reply when it is durable. With a request id, a repeated request returns the
   * first reply.
   */
  submit<C extends Command>(command: C, requestId?: string): Promise<ReplyOf<C>> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const nowMs = this.#nowMs();
    try {
      const { entry, reply, changes } = this.#machine.execute(command, nowMs, requestId);
      if (entry !== undefined) this.#options.replica.moved(entry);
      return this.#whenDurable(entry, changes, reply, entry && contentsOf(command));
    } catch (error) {
      // The machine guarantees that a malformed command changed nothing. Any other error is a defect of ours, after
      // which the state of the machine is undefined.
      if (!(error instanceof MalformedCommand)) {
        this.#isMachineSound = false;
        this.fail(error as Error);
      }
      return Promise.reject(error);
    }
  }

  /** Queries the machine; resolves with the answer when all state behind it is durable. */
  ask<Answer>(question: (machine: Machine, nowMs: number) => Answer): Promise<Answer> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const answer = question(this.#machine, this.#nowMs());
    return this.#whenDurable(undefined, [], answer);
  }

  /** Calls `then` when everything so far is durable, in order with the changes before and after it. */
  afterNow(then: () => void): void {
    if (this.#failure === undefined)
      this.#enqueue({ entry: undefined, changes: [], release: then, refuse() {} });
  }

  /** Refuses new commands; resolves when the accepted ones are durable or refused. */
  drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#enqueue({ entry: undefined, changes: [], release: resolve, refuse: () => resolve() });
    });
  }

  /** Refuses all waiting and future callers. Whether the waiting entries are durable is unknown. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = new ClusterUnavailable(`this control plane no longer leads: ${error.message}`, {
      cause: error,
    });
    const waiting = [...(this.#running ?? []), ...this.#queue];
    this.#queue = [];
    this.#queueBytes = 0;
    for (const { refuse } of waiting) refuse(this.#failure);
    this.#options.onFailed(error);
  }

  /** Cluster time does not run backwards, whatever the wall clock does. */
  #nowMs(): number {
    this.#lastNowMs = Math.max(this.#lastNowMs, Math.floor(this.#options.clock.nowMs()));
    return this.#lastNowMs;
  }

  #refusal(): Error | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#isDraining) return new ClusterUnavailable('this control plane is handing over leadership');
    const waitingCount = this.#queue.length + (this.#running?.length ?? 0);
    if (
      waitingCount >= metadataLimits.waitingCallsMax ||
      this.#queueBytes + this.#runningBytes >= metadataLimits.waitingEntryBytesMax
    ) {
      this.#options.metrics.refused.add(1);
      return new ClusterUnavailable(`${waitingCount} calls are queued for the journal; try again later`);
    }
    return undefined;
  }

  #whenDurable<Result>(
    entry: Buffer | undefined,
    changes: readonly ClusterChange[],
    result: Result,
    contents?: readonly FileContent[],
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#enqueue({
        entry,
        contents,
        changes,
        release: () => resolve(result),
        refuse: reject,
      });
    });
  }

  #enqueue(waiting: Waiting): void {
    if (waiting.entry === undefined && this.#queue.length === 0) {
      // It adds no entry: it waits for the running append, or not at all, in order.
      const behind = this.#running ?? this.#releasing;
      if (behind !== undefined) behind.push(waiting);
      else this.#release([waiting]);
      return;
    }
    this.#queue.push(waiting);
    this.#queueBytes += waiting.entry?.length ?? 0;
    // Deferred, so that commands that arrive together go together.
    if (this.#running === undefined && this.#queue.length === 1) queueMicrotask(() => this.#appendNext());
  }

  #appendNext(): void {
    if (this.#failure !== undefined || this.#running !== undefined || this.#queue.length === 0) return;
    const taken = this.#take();
    const entries = taken.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
    const contents = taken.flatMap(({ contents = [] }) => contents);
    this.#running = taken;
    this.#append({ entries, contents, startMs: this.#options.clock.monotonicMs() });
  }

  #acknowledge(isAllowed = true): void {
    if (!isAllowed) this.fail(new Error('lease lost'));
    const durable = this.#running ?? [];
    this.#running = undefined;
    this.#runningBytes = 0;
    if (this.#failure !== undefined) return;
    // The next append runs while these are released.
    this.#appendNext();
    this.#release(durable);
  }

  /** Takes the longest prefix of the queue that fits into one append. */
  #take(): Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const { entry } of this.#queue) {
      const entryBytes = entry?.length ?? 0;
      if (entryBytes > 0 && bytes > 0 && bytes + entryBytes > journalLimits.journalAppendBytesMax) break;
      bytes += entryBytes;
      count++;
    }
    this.#runningBytes = bytes;
    this.#queueBytes -= bytes;
    return this.#queue.splice(0, count);
  }

  /**
   * Appends, with retries while the lease holds: a repeated append is stored once. Not an async function, because
   * every file passes here (ADR 0177).
   */
  #append(append: Append): void {
    this.#options.journal
      .append(this.#options.epoch, this.#durablePosition, append.entries, append.contents)
      .then(
        () => this.#appended(append),
        (error: Error) => this.#appendFailed(append, error),
      );
  }

  #appended({ entries, startMs, outage }: Append): void {
    const { clock, log, metrics, mayAcknowledge, whenKnown } = this.#options;
    const over = outage?.ended();
    if (over !== undefined) log.info('resumed appending to journal', over);
    metrics.appendSeconds.observe((clock.monotonicMs() - startMs) / 1000);
    metrics.entries.add(entries.length);
    if (this.#failure !== undefined) return;
    this.#durablePosition += entries.length;
    if (mayAcknowledge()) this.#acknowledge();
    else whenKnown((isValid) => this.#acknowledge(isValid));
  }

  #appendFailed(append: Append, error: Error): void {
    const { clock, log, retryMs, isLeaseValid } = this.#options;
    if (error instanceof Fenced || this.#failure !== undefined || !isLeaseValid()) {
      this.fail(error);
      return;
    }
    append.outage ??= new Outage(clock, retryMs);
    const fields = append.outage.failed(error);
    if (fields !== undefined) log.warn('failed to append to journal, retrying', fields);
    clock.after(retryMs, () => this.#append(append));
  }

  /** The list may grow during the iteration: callers that arrive meanwhile follow those that waited. */
  #release(waiting: Waiting[]): void {
    this.#releasing = waiting;
    let changes: ClusterChange[] = [];
    const publish = () => {
      if (changes.length > 0) this.#options.onChanges(changes);
      changes = [];
    };
    for (const { entry, changes: own, release } of waiting) {
      for (const change of own) changes.push(change);
      if (entry === undefined) publish();
      release();
    }
    this.#releasing = undefined;
    publish();
  }
}

/** The files that a commit brings along, if its journal stores them. */
function contentsOf(command: Command): FileContent[] {
  if (command.kind !== 'commitFiles') return [];
  return command.files.flatMap(({ content }) => content ?? []);
}
