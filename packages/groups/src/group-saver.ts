import { ClusterUnavailable } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { Command, EntryChange, ReplyOf } from '@weir/machine';

/** What was not taken is tried again after this. */
const retryMs = 1_000;

export type Submit = <C extends Command>(command: C) => Promise<ReplyOf<C>>;

/**
 * Makes groups durable. A group goes on when that fails, and whoever waits for it is told to ask again; what is durable must
 * follow all the same, so that the last state of each such group is tried again until it is taken.
 */
export class GroupSaver {
  readonly #submit: Submit;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The last states of records that are not durable yet, be it on their way or to be tried again, with the attempt they are part of. */
  readonly #unsaved = new Map<string, { readonly change: EntryChange; readonly attempt: object }>();
  /** Those of them that were refused, by group: they go with the next attempt of the group, so that its records fit each other. */
  readonly #refused = new Map<string, Map<string, EntryChange>>();
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  constructor(submit: Submit, clock: Clock, log: Log) {
    this.#submit = submit;
    this.#clock = clock;
    this.#log = log;
  }

  /** `null` for a group that is gone. Other records of the group go with it. */
  save(groupId: string, value: Buffer | null, others: readonly EntryChange[] = []): Promise<void> {
    return this.put(groupId, [{ namespace: 'group', key: groupId, value }, ...others]);
  }

  /** Makes records of a group durable, all of them or none. */
  async put(groupId: string, changes: readonly EntryChange[]): Promise<void> {
    const attempt = {};
    const all = [...(this.#refused.get(groupId)?.values() ?? []), ...changes];
    this.#refused.delete(groupId);
    for (const change of all) this.#unsaved.set(nameOf(change), { change, attempt });
    try {
      await this.#put(all);
      this.#settle(all, attempt);
    } catch (error) {
      // A state that came later is on its way, or is tried again in its place.
      const refused = this.#settle(all, attempt);
      if (refused.length > 0) this.#tryLater(groupId, refused);
      throw error;
    }
  }

  /** Gives the changes that nobody has made obsolete since. */
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
    if (error !== 'NONE') throw new ClusterUnavailable(`the group cannot be kept: ${message}`);
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
    // One by one, so that one that is too large does not keep the others out.
    for (const groupId of groupIds) this.put(groupId, []).catch(() => {});
  }
}

function nameOf({ namespace, key }: EntryChange): string {
  return `${namespace} ${key}`;
}
