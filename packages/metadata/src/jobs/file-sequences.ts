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
    const added: { index: number; change: PutEntries['changes'][number] }[] = [];
    const areOpen = sequences.map(({ sequenceId, fromMs, isNew }, index) => {
      const value = known.get(sequenceId);
      if (value === undefined) {
        if (!isNew || known.size + added.length >= metadataLimits.fileSequencesMax) return false;
        const begun = writeFileSequence({ agentId, fromMs, hasEnded: false });
        added.push({ index, change: { namespace, key: sequenceId, value: begun } });
      } else {
        const { agentId: ownerId, hasEnded } = readFileSequence(value);
        if (ownerId !== agentId || hasEnded) return false;
      }
      // In the turn in which it was found open: an end that is decided later sees this.
      this.#heardMs.set(sequenceId, nowMs);
      return true;
    });
    if (added.length === 0) return ask(() => areOpen);
    const { message } = await submit({ kind: 'putEntries', changes: added.map(({ change }) => change) });
    if (message !== null) for (const { index } of added) areOpen[index] = false;
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
   * each agent the oldest one, so that the records of a client stay in order.
   */
  async endSilent(): Promise<readonly ReplayTask[]> {
    const { machine, ask, submit, clock } = this.#options;
    const known = machine.kv.of(namespace);
    for (const sequenceId of this.#heardMs.keys())
      if (!known.has(sequenceId)) this.#heardMs.delete(sequenceId);
    const silentSinceMs = clock.monotonicMs() - fileSequenceSilenceMsMax;
    const changes: PutEntries['changes'][number][] = [];
    const oldest = new Map<string, ReplayTask>();
    for (const [sequenceId, value] of known) {
      const sequence = readFileSequence(value);
      const { agentId, fromMs, hasEnded } = sequence;
      if (!hasEnded) {
        const heardMs = Math.max(this.#leadsSinceMs, this.#heardMs.get(sequenceId) ?? this.#leadsSinceMs);
        if (heardMs > silentSinceMs) continue;
        const ended = writeFileSequence({ ...sequence, hasEnded: true });
        changes.push({ namespace, key: sequenceId, value: ended });
      }
      if (!oldest.has(agentId)) oldest.set(agentId, { sequenceId, fromMs });
    }
    if (changes.length === 0) {
      await ask(() => undefined);
    } else {
      const { message } = await submit({ kind: 'putEntries', changes });
      if (message !== null) throw new Error(message);
    }
    return [...oldest.values()];
  }
}
