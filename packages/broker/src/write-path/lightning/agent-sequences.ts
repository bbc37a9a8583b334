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

interface AgentSequencesOptions {
  readonly agentId: string;
  readonly port: () => Pick<ClusterPort, 'keepFileSequences' | 'closeFileSequences'>;
  readonly clock: Clock;
  /** That of the ids of the files. */
  readonly random: Random;
  readonly log: Log;
  /** Called with each sequence that was closed. */
  readonly onClosed?: () => void;
}

/** Its files lie in one folder of the bucket, and no listing of it should be long. */
const sequenceFilesMax = 1_000;
const sequenceMsMax = 600_000;

interface Sequence extends OwnSequence {
  readonly fromMs: number;
  readonly begunMs: number;
  /**
   * `new`: not registered yet, as far as is known. `open`: registered. `over`: the leader has ended it, or a file of it
   * could not be committed: what is left of it is committed by a job.
   */
  state: 'new' | 'open' | 'over';
  /** Until when records may be acknowledged before their commit, on the monotonic clock. */
  leasedUntilMs: number;
  fileCount: number;
  /** Files that are not committed yet and have not failed. */
  pendingCount: number;
  isClosing: boolean;
}

/**
 * The sequences of files of an agent: one for new files, and earlier ones until all of their files are committed. They
 * are registered while files are already written: what is stored before the answer is acknowledged when it is
 * committed.
 *
 * An agent that reaches no leader acknowledges nothing before its commit any more, long before a leader gives its
 * sequences to a job.
 */
export class AgentSequences implements OwnSequences {
  readonly #options: AgentSequencesOptions;
  readonly #all = new Set<Sequence>();
  #current: Sequence | undefined;
  /** Will be the current one as soon as it is registered. */
  #next: Sequence | undefined;
  /** A leader that registers no sequence is asked again only after this time. */
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  #isCalling = false;
  #isDue = false;
  #isAbandoned = false;
  #cancel: (() => void) | undefined;
  #whenClosed: (() => void)[] = [];

  constructor(options: AgentSequencesOptions) {
    this.#options = options;
  }

  begin(): OwnSequence {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#next?.state === 'open') {
      const before = this.#current;
      this.#current = this.#next;
      this.#next = undefined;
      if (before !== undefined) this.#closeIfDone(before);
    }
    const mustReplace = this.#current?.state === 'over' && nowMs >= this.#refusedUntilMs;
    if (this.#current === undefined || mustReplace) {
      this.#current = this.#next ?? this.#create();
      this.#next = undefined;
    }
    const current = this.#current;
    current.fileCount++;
    current.pendingCount++;
    const isLong = current.fileCount >= sequenceFilesMax || nowMs - current.begunMs >= sequenceMsMax;
    if (isLong && this.#next === undefined) this.#next = this.#create();
    return current;
  }

  mayAcknowledge(sequence: OwnSequence): boolean {
    const { state, leasedUntilMs, isClosing } = sequence as Sequence;
    return state === 'open' && !isClosing && this.#options.clock.monotonicMs() < leasedUntilMs;
  }

  ended(own: OwnSequence): void {
    const sequence = own as Sequence;
    sequence.pendingCount--;
    this.#closeIfDone(sequence);
  }

  leave(own: OwnSequence): void {
    const sequence = own as Sequence;
    sequence.state = 'over';
    this.#forget(sequence);
  }

  /** Closes all sequences. Those with files that are not committed are left for a job. */
  async stop(): Promise<void> {
    this.#current = undefined;
    this.#next = undefined;
    for (const sequence of this.#all) {
      if (sequence.pendingCount > 0 || sequence.state !== 'open') this.#forget(sequence);
      else sequence.isClosing = true;
    }
    if (this.#all.size > 0) {
      const closed = new Promise<void>((resolve) => this.#whenClosed.push(resolve));
      this.#callSoon();
      await closed;
    }
    this.#cancel?.();
  }

  /** Ends what `stop` waits for. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#cancel?.();
    for (const resolve of this.#whenClosed.splice(0)) resolve();
  }

  #create(): Sequence {
    const { clock, random } = this.#options;
    // Later ids are greater than this one, whatever the clock does.
    const first = newFileId(clock.nowMs(), random);
    const sequence: Sequence = {
      sequenceId: fileIdSequence(first),
      fromMs: fileIdTimeMs(first),
      begunMs: clock.monotonicMs(),
      state: 'new',
      leasedUntilMs: Number.NEGATIVE_INFINITY,
      fileCount: 0,
      pendingCount: 0,
      isClosing: false,
    };
    this.#all.add(sequence);
    this.#callSoon();
    return sequence;
  }

  #isInUse(sequence: Sequence): boolean {
    return sequence === this.#current || sequence === this.#next;
  }

  #closeIfDone(sequence: Sequence): void {
    if (sequence.pendingCount > 0 || this.#isInUse(sequence)) return;
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

  #callSoon(): void {
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
    try {
      await this.#keep();
      await this.#close();
    } catch (error) {
      log.debug('failed to keep sequences of files', { error: String(error), nowMs: clock.monotonicMs() });
    }
  }

  /** A sequence without files for long is closed, so that nothing is renewed for an agent that writes nothing. */
  #retireIdle(): void {
    const current = this.#current;
    const isOld =
      current !== undefined && this.#options.clock.monotonicMs() - current.begunMs >= sequenceMsMax;
    if (!isOld || current.pendingCount > 0) return;
    this.#current = this.#next;
    this.#next = undefined;
    if (current.state === 'new') this.#forget(current);
    else this.#closeIfDone(current);
  }

  async #keep(): Promise<void> {
    const { agentId, port, clock } = this.#options;
    const kept = [...this.#all]
      .filter(({ state, isClosing }) => state !== 'over' && !isClosing)
      .slice(0, brokerLimits.sequencesPerCallMax);
    if (kept.length === 0) return;
    const sentMs = clock.monotonicMs();
    const wanted = kept.map(
      ({ sequenceId, fromMs, state }): SequenceToKeep => ({ sequenceId, fromMs, isNew: state === 'new' }),
    );
    const areOpen = await port().keepFileSequences(agentId, wanted);
    for (const [index, sequence] of kept.entries()) {
      if (areOpen[index] === true) {
        sequence.state = 'open';
        sequence.leasedUntilMs = sentMs + fileSequenceLeaseMs;
      } else {
        if (sequence.state === 'new') this.#refusedUntilMs = sentMs + fileSequenceIntervalMs;
        sequence.state = 'over';
      }
      this.#closeIfDone(sequence);
    }
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
}
