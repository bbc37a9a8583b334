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
  /** Whether the leader does not keep it open any more: a job commits what the agent has left. */
  readonly hasEnded: boolean;
  /**
   * Whether its agent may also acknowledge in it by a lease that the bucket gives (ADR 0231), of which the leader does
   * not know. Then the job ends these leases first.
   */
  readonly isRipcord: boolean;
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

/**
 * How long a job waits, after it marked a sequence as ended in the bucket, until no agent acknowledges in it. The lease
 * of the bucket is as long as that of the leader, and clocks may run at different speeds.
 */
export const ripcordEndMs = 12_000;

export function writeFileSequence({ agentId, fromMs, hasEnded, isRipcord }: FileSequence): Buffer {
  const flags = { ...(hasEnded ? { hasEnded } : {}), ...(isRipcord ? { isRipcord } : {}) };
  return Buffer.from(JSON.stringify({ agentId, fromMs, ...flags }));
}

export function readFileSequence(value: Uint8Array): FileSequence {
  const { agentId, fromMs, hasEnded, isRipcord } = JSON.parse(
    Buffer.from(value).toString(),
  ) as Partial<FileSequence>;
  return {
    agentId: agentId ?? '',
    fromMs: fromMs ?? 0,
    hasEnded: hasEnded === true,
    isRipcord: isRipcord === true,
  };
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
  /** The agent may acknowledge in it while it reaches no leader. */
  isRipcord: s.optional(s.flag),
  /**
   * The agent acknowledges nothing more in it, and has left files to a job. The answer says whether it is still open,
   * and so whether files of the job are not committed yet. With `isNew`, one that the leader does not know begins as
   * one that has ended: the metadata may have been restored meanwhile.
   */
  isLeft: s.optional(s.flag),
});
export type SequenceToKeep = s.TypeOf<typeof sequenceToKeep>;
