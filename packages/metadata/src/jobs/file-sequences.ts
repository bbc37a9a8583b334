import {
  fileSequenceSilenceMsMax,
  type ReplayTask,
  readFileSequence,
  type SequenceToKeep,
  writeFileSequence,
} from '@weir/cluster';
import type { Clock } from '@weir/core';
import type { ClusterMachine, Command, ReplyOf } from '@weir/machine';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';

const namespace = 'fileSequence';

type PutEntries = Extract<Command, { readonly kind: 'putEntries' }>;

interface FileSequencesOptions {
  readonly machine: Pick<ClusterMachine, 'kv'>;
  readonly ask: AskMachine;
  readonly submit: (command: PutEntries) => Promise<Pick<ReplyOf<PutEntries>, 'message'>>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * The open sequences of files (ADR 0202), in the leader. Agents keep theirs open. One about which nothing was received
 * for long is ended: that is durable before anything else happens, so that its agent, if it lives, learns that it must
 * not acknowledge in it any more. Then a job commits what the agent has left in the buckets, and closes it.
 */
export class FileSequences {
  readonly #options: FileSequencesOptions;
  /** When each was last kept open. */
  readonly #heardMs = new Map<string, number>();
  /** Earlier leaders may have kept any of them open until now. */
  readonly #leadsSinceMs: number;

  constructor(options: FileSequencesOptions) {
    this.#options = options;
    this.#leadsSinceMs = options.clock.monotonicMs();
  }

  /** Returns which of the sequences are open, when that is durable. */
  async keep(agentId: string, sequences: readonly SequenceToKeep[]): Promise<readonly boolean[]> {
    if (sequences.length > metadataLimits.fileSequencesPerCallMax)
      throw new RangeError('too many sequences of files');
    const { machine, ask, submit, clock } = this.#options;
    const known = machine.kv.of(namespace);
    const nowMs = clock.monotonicMs();
    const added: { index: number; isLeft: boolean; change: PutEntries['changes'][number] }[] = [];
    const areOpen = sequences.map(
      ({ sequenceId, fromMs, isNew, isRipcord = false, isLeft = false }, index) => {
        const value = known.get(sequenceId);
        if (value === undefined) {
          const isFull = known.size + added.length >= metadataLimits.fileSequencesMax;
          // Of one that was left, `false` would say that its files are committed.
          if (isNew && isLeft && isFull) throw new RangeError('too many sequences of files');
          if (!isNew || isFull) return false;
          const begun = writeFileSequence({
            agentId,
            fromMs,
            hasEnded: isLeft,
            isRipcord: isRipcord && !isLeft,
          });
          added.push({ index, isLeft, change: { namespace, key: sequenceId, value: begun } });
        } else {
          const sequence = readFileSequence(value);
          if (sequence.agentId !== agentId) return false;
          if (isLeft) {
            // Its agent itself says that it acknowledges nothing more, so that no lease has to be ended.
            if (!sequence.hasEnded || sequence.isRipcord) {
              const ended = writeFileSequence({ ...sequence, hasEnded: true, isRipcord: false });
              added.push({ index, isLeft, change: { namespace, key: sequenceId, value: ended } });
            }
            return true;
          }
          if (sequence.hasEnded) return false;
        }
        // In the turn in which it was found open: an end that is decided later sees this.
        this.#heardMs.set(sequenceId, nowMs);
        return true;
      },
    );
    if (added.length === 0) return ask(() => areOpen);
    const { message } = await submit({ kind: 'putEntries', changes: added.map(({ change }) => change) });
    if (message === null) return areOpen;
    if (added.some(({ isLeft }) => isLeft)) throw new Error(message);
    for (const { index } of added) areOpen[index] = false;
    return areOpen;
  }

  /** All files of the sequences are committed, or were never acknowledged. */
  async close(sequenceIds: readonly string[]): Promise<void> {
    if (sequenceIds.length > metadataLimits.fileSequencesPerCallMax)
      throw new RangeError('too many sequences of files');
    const changes = sequenceIds.map((key) => ({ namespace, key, value: null }) as const);
    const { message } = await this.#options.submit({ kind: 'putEntries', changes });
    if (message !== null) throw new Error(message);
    for (const sequenceId of sequenceIds) this.#heardMs.delete(sequenceId);
  }

  /**
   * Ends the sequences whose agents are silent. Returns those that a job has to commit now, when that is durable: of
   * each agent the oldest one, once it has ended, so that the records of a client stay in order.
   */
  async endSilent(): Promise<readonly ReplayTask[]> {
    const { machine, ask, submit, clock } = this.#options;
    const known = machine.kv.of(namespace);
    for (const sequenceId of this.#heardMs.keys())
      if (!known.has(sequenceId)) this.#heardMs.delete(sequenceId);
    const silentSinceMs = clock.monotonicMs() - fileSequenceSilenceMsMax;
    const changes: PutEntries['changes'][number][] = [];
    const oldest = new Map<string, ReplayTask & { readonly hasEnded: boolean }>();
    for (const [sequenceId, value] of known) {
      const sequence = readFileSequence(value);
      const { agentId, fromMs, isRipcord } = sequence;
      let { hasEnded } = sequence;
      if (!hasEnded) {
        const heardMs = Math.max(this.#leadsSinceMs, this.#heardMs.get(sequenceId) ?? this.#leadsSinceMs);
        if (heardMs <= silentSinceMs) {
          hasEnded = true;
          const ended = writeFileSequence({ ...sequence, hasEnded });
          changes.push({ namespace, key: sequenceId, value: ended });
        }
      }
      const before = oldest.get(agentId);
      if (before !== undefined && before.fromMs <= fromMs) continue;
      oldest.set(agentId, { sequenceId, fromMs, hasEnded, ...(isRipcord ? { hasBucketLease: true } : {}) });
    }
    if (changes.length === 0) {
      await ask(() => undefined);
    } else {
      const { message } = await submit({ kind: 'putEntries', changes });
      if (message !== null) throw new Error(message);
    }
    // An older one that is still open has files that its agent will commit.
    return [...oldest.values()].filter(({ hasEnded }) => hasEnded).map(({ hasEnded: _, ...task }) => task);
  }
}
