import {
  type ClusterPort,
  fileSequenceIntervalMs,
  fileSequenceLeaseMs,
  type SequenceToKeep,
} from '@weir/cluster';
import { type Clock, fileIdSequence, fileIdTimeMs, type Log, type Random } from '@weir/core';
import { newFileId } from '@weir/storage';
import { brokerLimits } from '../../limits.ts';
import type { OwnSequence, OwnSequences } from '../own-sequences.ts';
import type { BucketLeases } from './bucket-leases.ts';

interface AgentSequencesOptions {
  readonly agentId: string;
  readonly port: () => Pick<ClusterPort, 'keepFileSequences' | 'closeFileSequences'>;
  readonly clock: Clock;
  /** That of the ids of the files. */
  readonly random: Random;
  readonly log: Log;
  /** Called with each sequence that was closed. */
  readonly onClosed?: () => void;
  /** Ripcord: the bucket gives leases while no leader does, and files may be left to a job. If absent, neither. */
  readonly ripcord?: RipcordOptions | undefined;
}

interface RipcordOptions {
  readonly leases: BucketLeases;
  /** What is acknowledged in a sequence and not committed must be left now: a job will commit all of it. */
  readonly onLeaving: (sequence: OwnSequence) => void;
  /** All that was left of the sequence is committed. */
  readonly onCommitted: (sequence: OwnSequence) => void;
  /** Called every second. */
  readonly onRenewal: () => void;
}

/** Its files lie in one folder of the bucket, and no listing of it should be long. */
const sequenceFilesMax = 1_000;
const sequenceMsMax = 600_000;

/** How long an agent that stops waits for the leader to close its sequences, if files may be left to a job anyway. */
const closeMsMax = 5_000;

interface Sequence extends OwnSequence {
  readonly fromMs: number;
  readonly begunMs: number;
  /**
   * `new`: not registered yet, as far as is known. `open`: registered. `over`: the leader has ended it, or a file of it
   * could not be committed: what is left of it is committed by a job. `left`: the same with ripcord, where the agent
   * waits until the job has closed it.
   */
  state: 'new' | 'open' | 'over' | 'left';
  /** Until when records may be acknowledged before their commit, on the monotonic clock. */
  leasedUntilMs: number;
  fileCount: number;
  uploadingCount: number;
  /** Files that are not committed yet and have neither failed nor been left. */
  pendingCount: number;
  /** Whether a job has to commit files of it. */
  hasLeft: boolean;
  /** Whether the leader knows that. */
  isHandedOver: boolean;
  isClosing: boolean;
  /** Whether the bucket is being asked for a lease. */
  isAsking: boolean;
}

/**
 * The sequences of files of an agent: one for new files, and earlier ones until all of their files are committed. They
 * are registered while files are already written: what is stored before the answer is acknowledged when it is
 * committed.
 *
 * An agent that reaches no leader acknowledges nothing before its commit any more, long before a leader gives its
 * sequences to a job.
 *
 * With ripcord there is always a sequence, so that one is registered when the leader goes, and the bucket gives leases
 * of it while no leader does (ADR 0231). Files that are left to a job are committed before later ones of this agent,
 * which wait until the job has closed the sequence.
 */
export class AgentSequences implements OwnSequences {
  readonly #options: AgentSequencesOptions;
  readonly #all = new Set<Sequence>();
  #current: Sequence | undefined;
  /** Will be the current one as soon as it is registered. */
  #next: Sequence | undefined;
  /** A leader that registers no sequence is asked again only after this time. */
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  #lastFromMs = 0;
  #isCalling = false;
  #isDue = false;
  #isStopping = false;
  #isAbandoned = false;
  #cancel: (() => void) | undefined;
  #cancelRenewal: (() => void) | undefined;
  #whenClosed: (() => void)[] = [];

  constructor(options: AgentSequencesOptions) {
    this.#options = options;
    if (options.ripcord === undefined) return;
    this.#current = this.#created();
    this.#callSoon();
    this.#renewSoon();
  }

  get mayLeave(): boolean {
    return this.#options.ripcord !== undefined;
  }

  mustWait(own: OwnSequence): boolean {
    const { fromMs } = own as Sequence;
    for (const other of this.#all) if (other.hasLeft && other.fromMs <= fromMs) return true;
    return false;
  }

  begin(): OwnSequence {
    const nowMs = this.#options.clock.monotonicMs();
    this.#advance();
    const mustReplace = this.#current?.state === 'over' && nowMs >= this.#refusedUntilMs;
    if (this.#current === undefined || mustReplace) this.#replaceCurrent();
    const current = this.#current!;
    current.fileCount++;
    current.uploadingCount++;
    current.pendingCount++;
    const isLong = current.fileCount >= sequenceFilesMax || nowMs - current.begunMs >= sequenceMsMax;
    if (isLong) this.#createNext();
    return current;
  }

  mayAcknowledge(sequence: OwnSequence): boolean {
    const { state, leasedUntilMs, isClosing } = sequence as Sequence;
    return state === 'open' && !isClosing && this.#options.clock.monotonicMs() < leasedUntilMs;
  }

  uploaded(own: OwnSequence): void {
    const sequence = own as Sequence;
    sequence.uploadingCount--;
    if (sequence.hasLeft) this.#handOverIfDone(sequence);
  }

  ended(own: OwnSequence): void {
    const sequence = own as Sequence;
    sequence.pendingCount--;
    this.#closeIfDone(sequence);
  }

  leave(own: OwnSequence): void {
    const sequence = own as Sequence;
    if (!this.mayLeave) {
      sequence.state = 'over';
      this.#forget(sequence);
      return;
    }
    sequence.pendingCount--;
    this.#mustHandOver(sequence);
  }

  /** Closes all sequences. Those with files that are not committed are left for a job. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#current = undefined;
    this.#next = undefined;
    for (const sequence of this.#all) {
      if (sequence.pendingCount > 0 || sequence.state !== 'open' || sequence.hasLeft) this.#forget(sequence);
      else sequence.isClosing = true;
    }
    if (this.#all.size > 0) {
      const closed = new Promise<void>((resolve) => this.#whenClosed.push(resolve));
      this.#callSoon();
      // Without a leader, the next one ends them.
      const cancel = this.mayLeave ? this.#options.clock.after(closeMsMax, () => this.abandon()) : () => {};
      await closed;
      cancel();
    }
    // Nor may a lease that is being renewed begin anew.
    this.abandon();
  }

  /** Ends what `stop` waits for. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#cancel?.();
    this.#cancelRenewal?.();
    for (const resolve of this.#whenClosed.splice(0)) resolve();
  }

  /** The caller calls `#callSoon` once it has its place. */
  #created(): Sequence {
    const { clock, random } = this.#options;
    // Later ids are greater than this one, whatever the clock does, and later sequences begin at a later time.
    const first = newFileId(Math.max(clock.nowMs(), this.#lastFromMs + 1), random);
    this.#lastFromMs = fileIdTimeMs(first);
    const sequence: Sequence = {
      sequenceId: fileIdSequence(first),
      fromMs: this.#lastFromMs,
      begunMs: clock.monotonicMs(),
      state: 'new',
      leasedUntilMs: Number.NEGATIVE_INFINITY,
      fileCount: 0,
      uploadingCount: 0,
      pendingCount: 0,
      hasLeft: false,
      isHandedOver: false,
      isClosing: false,
      isAsking: false,
    };
    this.#all.add(sequence);
    return sequence;
  }

  #createNext(): void {
    if (this.#next !== undefined) return;
    this.#next = this.#created();
    this.#callSoon();
  }

  #replaceCurrent(): void {
    const before = this.#current;
    this.#current = this.#next ?? this.#created();
    this.#next = undefined;
    if (before !== undefined && this.mayLeave) this.#closeIfDone(before);
    this.#callSoon();
  }

  /** Moves on to the next sequence once it is registered. */
  #advance(): void {
    if (this.#next?.state !== 'open') return;
    const before = this.#current;
    this.#current = this.#next;
    this.#next = undefined;
    if (before === undefined) return;
    if (before.hasLeft) this.#handOverIfDone(before);
    else this.#closeIfDone(before);
  }

  #isInUse(sequence: Sequence): boolean {
    return sequence === this.#current || sequence === this.#next;
  }

  #closeIfDone(sequence: Sequence): void {
    if (sequence.pendingCount > 0 || this.#isInUse(sequence) || sequence.hasLeft) return;
    if (sequence.state === 'open') {
      // From here on nothing is acknowledged in it.
      sequence.isClosing = true;
      this.#callSoon();
    } else if (sequence.state === 'over') {
      this.#forget(sequence);
    }
  }

  #forget(sequence: Sequence): void {
    this.#all.delete(sequence);
    if (this.#current === sequence) this.#current = undefined;
    if (this.#next === sequence) this.#next = undefined;
    if (this.#all.size > 0) return;
    for (const resolve of this.#whenClosed.splice(0)) resolve();
  }

  // --- what is left to a job ---

  /** With ripcord there is always a sequence for new files, and one to follow if files of it were left. */
  #prepareNext(): void {
    if (!this.mayLeave || this.#isStopping || this.#options.clock.monotonicMs() < this.#refusedUntilMs)
      return;
    if (this.#current === undefined || this.#current.state === 'over') this.#replaceCurrent();
    if (this.#current!.hasLeft) this.#createNext();
  }

  /** A job has to commit files of the sequence, so that it commits all of them, and later files wait for it. */
  #mustHandOver(sequence: Sequence): void {
    if (!sequence.hasLeft) {
      sequence.hasLeft = true;
      this.#prepareNext();
    }
    this.#handOverIfDone(sequence);
  }

  /**
   * While no leader registers the next sequence, this one goes on. An upload that runs may still be acknowledged; after
   * that nothing is.
   */
  #handOverIfDone(sequence: Sequence): void {
    if (sequence.state === 'left' || sequence.uploadingCount > 0) return;
    const isOwnDecision = sequence.state === 'open';
    if (isOwnDecision && this.#isInUse(sequence)) return;
    sequence.state = 'left';
    // Where it was the decision of others, an agent that was suspended may have acknowledged what the job did not find.
    // So it keeps what it still has, and commits it after the job.
    if (isOwnDecision) this.#options.ripcord!.onLeaving(sequence);
    this.#callSoon();
  }

  // --- calls ---

  #callSoon(): void {
    if (this.#isAbandoned) return;
    if (this.#isCalling) {
      this.#isDue = true;
      return;
    }
    this.#isCalling = true;
    this.#cancel?.();
    void this.#call().finally(() => {
      this.#isCalling = false;
      const delayMs = this.#isDue ? brokerLimits.sequenceCallPauseMs : fileSequenceIntervalMs;
      this.#isDue = false;
      if (this.#all.size === 0 || this.#isAbandoned) return;
      this.#cancel = this.#options.clock.after(delayMs, () => this.#callSoon());
    });
  }

  async #call(): Promise<void> {
    const { clock, log } = this.#options;
    this.#retireIdle();
    this.#prepareNext();
    try {
      await this.#keep();
      await this.#close();
    } catch (error) {
      log.debug('failed to keep sequences of files', { error: String(error), nowMs: clock.monotonicMs() });
    }
  }

  /**
   * A sequence without files for long is closed, so that nothing is renewed for an agent that writes nothing. With
   * ripcord another one takes its place if it ever had files.
   */
  #retireIdle(): void {
    const current = this.#current;
    const isOld =
      current !== undefined && this.#options.clock.monotonicMs() - current.begunMs >= sequenceMsMax;
    if (!isOld || current.pendingCount > 0) return;
    if (this.mayLeave) {
      if (current.fileCount > 0) this.#createNext();
      return;
    }
    this.#current = this.#next;
    this.#next = undefined;
    if (current.state === 'new') this.#forget(current);
    else this.#closeIfDone(current);
  }

  /** Names all of them, however many, in calls of which each has as many as the leader takes. */
  async #keep(): Promise<void> {
    const most = brokerLimits.sequencesPerCallMax;
    const all = this.#byUrgency();
    for (let from = 0; from < all.length && !this.#isAbandoned; from += most)
      await this.#keepSome(all.slice(from, from + most));
  }

  /**
   * First those of new files, without which nothing is acknowledged; then others whose leases end. What was left waits
   * for a job anyway, and is no longer to be kept open.
   */
  #byUrgency(): readonly Sequence[] {
    const urgency = (sequence: Sequence) => {
      if (this.#isInUse(sequence)) return 0;
      if (sequence.state !== 'left') return 1;
      return sequence.isHandedOver ? 3 : 2;
    };
    return [...this.#all].sort((one, other) => urgency(one) - urgency(other));
  }

  async #keepSome(sequences: readonly Sequence[]): Promise<void> {
    const { agentId, port, clock } = this.#options;
    // Some may have ended during the calls before.
    const kept = sequences.filter(
      (sequence) => this.#all.has(sequence) && sequence.state !== 'over' && !sequence.isClosing,
    );
    if (kept.length === 0) return;
    const sentMs = clock.monotonicMs();
    const wanted = kept.map(({ sequenceId, fromMs, state, isHandedOver }): SequenceToKeep => {
      if (!this.mayLeave) return { sequenceId, fromMs, isNew: state === 'new' };
      const isLeft = state === 'left';
      const isNew = state === 'new' || (isLeft && !isHandedOver);
      return { sequenceId, fromMs, isNew, isRipcord: true, isLeft };
    });
    const areOpen = await port().keepFileSequences(agentId, wanted);
    for (const [index, sequence] of kept.entries()) {
      if (wanted[index]!.isLeft === true) this.#answeredLeft(sequence, areOpen[index] === true);
      else this.#answered(sequence, areOpen[index] === true, sentMs);
    }
    if (this.mayLeave) this.#advance();
  }

  #answered(sequence: Sequence, isOpen: boolean, sentMs: number): void {
    const wasNew = sequence.state === 'new';
    // It was left, or ended, while the call was under way.
    if (!(wasNew || sequence.state === 'open') || !this.#all.has(sequence)) return;
    if (isOpen) {
      sequence.state = 'open';
      sequence.leasedUntilMs = Math.max(sequence.leasedUntilMs, sentMs + fileSequenceLeaseMs);
      this.#closeIfDone(sequence);
    } else {
      if (wasNew) this.#refusedUntilMs = sentMs + fileSequenceIntervalMs;
      this.#end(sequence);
    }
  }

  /** Nothing is acknowledged in the sequence any more. One that was registered is committed by a job. */
  #end(sequence: Sequence): void {
    const wasNew = sequence.state === 'new';
    sequence.state = 'over';
    if (!this.mayLeave) {
      this.#closeIfDone(sequence);
    } else if (wasNew) {
      if (sequence === this.#next) this.#next = undefined;
      this.#closeIfDone(sequence);
    } else {
      if (sequence === this.#current) this.#current = undefined;
      if (sequence === this.#next) this.#next = undefined;
      this.#prepareNext();
      this.#mustHandOver(sequence);
    }
  }

  #answeredLeft(sequence: Sequence, isOpen: boolean): void {
    if (isOpen) {
      sequence.isHandedOver = true;
      return;
    }
    this.#forget(sequence);
    this.#options.onClosed?.();
    this.#options.ripcord!.onCommitted(sequence);
  }

  async #close(): Promise<void> {
    const done = [...this.#all]
      .filter(({ isClosing }) => isClosing)
      .slice(0, brokerLimits.sequencesPerCallMax);
    if (done.length === 0) return;
    await this.#options.port().closeFileSequences(done.map(({ sequenceId }) => sequenceId));
    for (const sequence of done) {
      this.#options.onClosed?.();
      this.#forget(sequence);
    }
  }

  // --- leases of the bucket ---

  #renewSoon(): void {
    if (this.#isAbandoned) return;
    this.#cancelRenewal = this.#options.clock.after(brokerLimits.bucketLeaseIntervalMs, () => {
      this.#renewSoon();
      this.#renew();
    });
  }

  /** Asks the bucket about sequences whose leases the leader has not renewed lately. */
  #renew(): void {
    const { clock, ripcord } = this.#options;
    ripcord!.onRenewal();
    const dueMs = clock.monotonicMs() + fileSequenceLeaseMs - 2 * fileSequenceIntervalMs;
    for (const sequence of this.#all) {
      const { state, isClosing, isAsking, leasedUntilMs } = sequence;
      // An answer that is missing must not delay the leases of others.
      if (state === 'open' && !isClosing && !isAsking && leasedUntilMs <= dueMs) void this.#ask(sequence);
    }
  }

  async #ask(sequence: Sequence): Promise<void> {
    sequence.isAsking = true;
    const lease = await this.#options.ripcord!.leases.ask(sequence.sequenceId, sequence.leasedUntilMs);
    sequence.isAsking = false;
    if (sequence.state !== 'open') return;
    if (lease === 'ended') this.#end(sequence);
    else if (lease !== 'unknown') sequence.leasedUntilMs = Math.max(sequence.leasedUntilMs, lease.untilMs);
  }
}
