import type { FollowedEntriesView } from '@weir/cluster';
import { AclIndex, type InvalidAcl, invalidAcls, readAclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';

/**
 * The ACLs in the cluster view. A created or deleted ACL updates the index in place; a new snapshot, or more changes
 * than the view tracks (`clusterLimits.followedChangesMax`), rebuilds it.
 */
export class FollowedAcls {
  readonly #records: FollowedEntriesView;
  #index = new AclIndex();
  #version = -1;
  /** By the keys of their entries. */
  readonly #invalid = new Map<string, InvalidAcl>();

  constructor(records: FollowedEntriesView) {
    this.#records = records;
  }

  /**
   * Applies changes since the last call and returns whether there were any. Must be called before the index is used.
   */
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

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  get index(): AclIndex {
    return this.#index;
  }

  /** ACLs that can never match, by the keys of their entries. */
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
