import { AclIndex, type InvalidAcl, invalidAcls, readAclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';
import type { FollowedEntriesView } from '../../cluster/followed-entries.ts';

/**
 * The rules of the cluster as the agent last heard of them. A rule that came or went changes the index in its place; only after a new
 * snapshot everything is arranged anew.
 */
export class FollowedAcls {
  readonly #records: FollowedEntriesView;
  #index = new AclIndex();
  #version = -1;
  /** By the keys of their records. */
  readonly #invalid = new Map<string, InvalidAcl>();

  constructor(records: FollowedEntriesView) {
    this.#records = records;
  }

  /** Takes over what has changed since the last time, and says whether anything did. To be called before anything else is asked. */
  refresh(): boolean {
    const { version, byKey } = this.#records;
    if (version === this.#version) return false;
    const keys = this.#records.changedSince(this.#version);
    this.#version = version;
    if (keys === undefined) {
      this.#index = new AclIndex();
      this.#invalid.clear();
    }
    for (const key of keys ?? byKey.keys()) this.#take(key, byKey.has(key));
    return true;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  get index(): AclIndex {
    return this.#index;
  }

  /** Rules that will never decide anything, by the keys of their records. */
  get invalid(): ReadonlyMap<string, InvalidAcl> {
    return this.#invalid;
  }

  #take(key: string, isThere: boolean): void {
    const acl = readAclKey(key);
    if (acl === undefined) return;
    if (isThere) this.#put(key, acl);
    else {
      this.#index.delete(acl);
      this.#invalid.delete(key);
    }
  }

  #put(key: string, acl: Acl): void {
    this.#index.put(acl);
    const [invalid] = invalidAcls([acl]);
    if (invalid !== undefined) this.#invalid.set(key, invalid);
  }
}
