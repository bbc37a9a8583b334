import { isFileSequence } from '@weir/core';
import * as s from './shapes/shape.ts';

/**
 * A sequence of files (ADR 0202): files of one agent whose records may be acknowledged before they are committed. It is
 * open from its registration until all of its files are committed, by the agent or by a job. The names of its files in
 * the buckets are the journal.
 */
interface FileSequence {
  readonly agentId: string;
  /** The ids of its files have this time or a later one. */
  readonly fromMs: number;
  /** Whether its agent acknowledges nothing more in it: a job commits what the agent has left. */
  readonly hasEnded: boolean;
}

/** How long an agent acknowledges in a sequence after it sent what the leader answered. */
export const fileSequenceLeaseMs = 8_000;

/** How often an agent renews that. */
export const fileSequenceIntervalMs = 2_000;

/**
 * When a leader that received nothing about a sequence ends it. Its agent may have been suspended, and the clocks of
 * both may run at different speeds, so that it is much longer than the lease.
 */
export const fileSequenceSilenceMsMax = 24_000;

export function writeFileSequence({ agentId, fromMs, hasEnded }: FileSequence): Buffer {
  return Buffer.from(JSON.stringify({ agentId, fromMs, ...(hasEnded ? { hasEnded } : {}) }));
}

export function readFileSequence(value: Uint8Array): FileSequence {
  const { agentId, fromMs, hasEnded } = JSON.parse(Buffer.from(value).toString()) as Partial<FileSequence>;
  return { agentId: agentId ?? '', fromMs: fromMs ?? 0, hasEnded: hasEnded === true };
}

export const fileSequenceId: s.Shape<string> = (value, where) =>
  s.text(value, where) ??
  (isFileSequence(value as string) ? undefined : `${where}: not the id of a sequence of files`);

/** A sequence that its agent wants to be open. */
export const sequenceToKeep = s.struct({
  sequenceId: fileSequenceId,
  fromMs: s.whole,
  /** It is not registered yet, as far as the agent knows. */
  isNew: s.flag,
});
export type SequenceToKeep = s.TypeOf<typeof sequenceToKeep>;
