import type { Clock, Log } from '@weir/core';
import { placeOf } from '../../http/remote-address.ts';
import { controlPlaneLimits } from '../../limits.ts';
import type { AuditLog, AuditNote } from './audit-log.ts';
import { type AuditRead, joinedReads } from './audit-read.ts';

interface AuditRefusalsOptions {
  readonly auditLog: Pick<AuditLog, 'append' | 'repeat'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Refusals of one kind, or reads of one topic by one caller, within this interval are one entry. */
export const refusalIntervalMs = 60_000;

/** A kind of refusal in its current interval. */
interface OpenEntry {
  /** The id, once the entry is written; `undefined` if the write failed. */
  readonly written: Promise<string | undefined>;
  /** How often it was repeated. */
  repeats: number;
  readonly targets: Set<string>;
  /** What the repetitions have read. */
  read: AuditRead | undefined;
  readonly cancel: () => void;
}

/**
 * Writes refused calls into the audit log without letting refused callers fill it: one entry per caller, operation and
 * reason per minute. The entry is written at the first call; count and further targets are added when the minute ends.
 * A process that is killed leaves the count at 1.
 *
 * Callers beyond `controlPlaneLimits.auditOpenRefusalsMax` at a time share an entry per account, operation and reason.
 *
 * Reads that a live view repeats every second are counted the same way, and never share an entry: who has read what is
 * always in the log.
 */
export class AuditRefusals {
  readonly #options: AuditRefusalsOptions;
  readonly #open = new Map<string, OpenEntry>();
  readonly #ending = new Set<Promise<void>>();
  #unwritten = 0;

  constructor(options: AuditRefusalsOptions) {
    this.#options = options;
  }

  /** The number of open entries. */
  get size(): number {
    return this.#open.size;
  }

  /** Resolves when the call is written or counted. Rejects when it could not be written. */
  async record(note: AuditNote): Promise<void> {
    const own = keyOf(note);
    if (this.#open.has(own) || this.#open.size < controlPlaneLimits.auditOpenRefusalsMax)
      return this.#count(own, note);
    const shared = sharedNote(note);
    const key = keyOf(shared);
    if (this.#open.has(key) || this.#open.size < 2 * controlPlaneLimits.auditOpenRefusalsMax)
      return this.#count(key, shared);
    this.#unwritten++;
  }

  /** Resolves when a call that succeeded is written, or counted as a repetition of the same call. */
  async recordRead(note: AuditNote): Promise<void> {
    const key = readKeyOf(note);
    if (this.#open.has(key) || this.#open.size < controlPlaneLimits.auditOpenRefusalsMax)
      return this.#count(key, note);
    await this.#options.auditLog.append([note]);
  }

  /** Writes the counts. */
  async close(): Promise<void> {
    for (const key of [...this.#open.keys()]) this.#end(key);
    await Promise.all(this.#ending);
  }

  async #count(key: string, note: AuditNote): Promise<void> {
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.repeats++;
      if (note.read !== undefined) open.read = open.read ? joinedReads(open.read, note.read) : note.read;
      for (const target of note.targets)
        if (open.targets.size < controlPlaneLimits.auditTargetsMax) open.targets.add(target);
      return;
    }
    const { auditLog, clock } = this.#options;
    const append = auditLog.append([note]);
    const entry: OpenEntry = {
      written: append.then(
        ([id]) => id,
        () => undefined,
      ),
      repeats: 0,
      targets: new Set(note.targets.slice(0, controlPlaneLimits.auditTargetsMax)),
      read: undefined,
      cancel: clock.after(refusalIntervalMs, () => this.#end(key)),
    };
    this.#open.set(key, entry);
    try {
      await append;
    } catch (error) {
      // The next refusal tries again.
      entry.cancel();
      if (this.#open.get(key) === entry) this.#open.delete(key);
      throw error;
    }
  }

  #end(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    open.cancel();
    this.#open.delete(key);
    const ending = this.#finish(open).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  async #finish({ written, repeats, targets, read }: OpenEntry): Promise<void> {
    const { auditLog, log } = this.#options;
    try {
      const id = await written;
      if (repeats > 0 && id !== undefined)
        await auditLog.repeat(id, { times: repeats, targets: [...targets], read });
    } catch (error) {
      log.error('failed to count repeated calls in the audit log', { error: (error as Error).message });
    }
    if (this.#unwritten === 0) return;
    log.warn('dropped refused calls from the audit log', { count: this.#unwritten });
    this.#unwritten = 0;
  }
}

/** An unknown caller is identified by its address. */
function keyOf({ accountId, actor, remoteAddress, workspaceId = '', operation, result }: AuditNote): string {
  const who = actor.id === '' ? placeOf(remoteAddress) : actor.id;
  return JSON.stringify([accountId, actor.kind, who, workspaceId, operation, result]);
}

/** The same caller at the same place, with the same topic and Kafka user. */
function readKeyOf(note: AuditNote): string {
  return JSON.stringify([keyOf(note), note.via, note.remoteAddress, note.userAgent, note.targets]);
}

function sharedNote({ accountId, operation, result }: AuditNote): AuditNote {
  return {
    accountId,
    actor: { kind: 'anonymous', id: '', name: 'several callers' },
    remoteAddress: '',
    userAgent: '',
    operation,
    targets: [],
    result,
  };
}
