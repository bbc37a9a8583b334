import { ClusterUnavailable } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { Command, EntryChange, ReplyOf } from '@weir/machine';

/** The delay before a failed save is retried. */
const retryMs = 1_000;

export type Submit = <C extends Command>(command: C) => Promise<ReplyOf<C>>;

/**
 * Makes groups durable. When a save fails, the group continues and the waiting clients must retry; the stored state
 * must still catch up, so the last state of each such group is retried until it is stored.
 */
export class GroupSaver {
  readonly #submit: Submit;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The last states of entries that are not durable yet, in flight or to be retried, with their attempt. */
  readonly #unsaved = new Map<string, { readonly change: EntryChange; readonly attempt: object }>();
  /** The refused ones by group: they go with the next attempt of the group, so that its entries are consistent. */
  readonly #refused = new Map<string, Map<string, EntryChange>>();
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  constructor(submit: Submit, clock: Clock, log: Log) {
    this.#submit = submit;
    this.#clock = clock;
    this.#log = log;
  }

  /** Saves a group together with other entries of it; `null` deletes the group. */
  save(groupId: string, value: Buffer | null, others: readonly EntryChange[] = []): Promise<void> {
    return this.put(groupId, [{ namespace: 'group', key: groupId, value }, ...others]);
  }

  /** Makes entries of a group durable, all or none. */
  async put(groupId: string, changes: readonly EntryChange[]): Promise<void> {
    const attempt = {};
    const all = [...(this.#refused.get(groupId)?.values() ?? []), ...changes];
    this.#refused.delete(groupId);
    for (const change of all) this.#unsaved.set(nameOf(change), { change, attempt });
    try {
      await this.#put(all);
      this.#settle(all, attempt);
    } catch (error) {
      // A later state is in flight, or is retried instead.
      const refused = this.#settle(all, attempt);
      if (refused.length > 0) this.#tryLater(groupId, refused);
      throw error;
    }
  }

  /** Returns the changes that no later change has replaced. */
  #settle(changes: readonly EntryChange[], attempt: object): EntryChange[] {
    return changes.filter((change) => {
      const name = nameOf(change);
      const last = this.#unsaved.get(name);
      if (last?.attempt !== attempt || last.change !== change) return false;
      this.#unsaved.delete(name);
      return true;
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#unsaved.clear();
    this.#refused.clear();
  }

  async #put(changes: readonly EntryChange[]): Promise<void> {
    const { error, message } = await this.#submit({ kind: 'putEntries', changes });
    if (error !== 'NONE') throw new ClusterUnavailable(`failed to store the group: ${message}`);
  }

  #tryLater(groupId: string, changes: readonly EntryChange[]): void {
    if (this.#isClosed) return;
    const refused = this.#refused.get(groupId) ?? new Map<string, EntryChange>();
    for (const change of changes) refused.set(nameOf(change), change);
    this.#refused.set(groupId, refused);
    this.#cancelRetry ??= this.#clock.after(retryMs, () => {
      this.#cancelRetry = undefined;
      this.#tryAgain();
    });
  }

  #tryAgain(): void {
    const groupIds = [...this.#refused.keys()];
    if (groupIds.length === 0) return;
    this.#log.warn('failed to store groups, retrying', { groups: groupIds.length });
    // One group at a time, so that a too large one does not block the others.
    for (const groupId of groupIds) this.put(groupId, []).catch(() => {});
  }
}

function nameOf({ namespace, key }: EntryChange): string {
  return `${namespace} ${key}`;
}
