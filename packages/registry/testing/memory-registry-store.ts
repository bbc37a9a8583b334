import type { RegistryChange } from '../src/registry-change.ts';
import type { Decision, RegistryStore } from '../src/registry-store.ts';
import { RegistryState } from '../src/state/registry-state.ts';

/** A registry in memory: the entries that a cluster would store, one revision per write. */
export class MemoryRegistry {
  readonly entries = new Map<string, Uint8Array>();
  readonly #log: (readonly RegistryChange[])[] = [];

  get revision(): number {
    return this.#log.length;
  }

  /** Commits changes that were decided on at a revision, unless another writer was first. */
  commit(revision: number, changes: readonly RegistryChange[]): boolean {
    if (revision !== this.revision) return false;
    this.#log.push(changes);
    for (const { key, value } of changes) {
      if (value === null) this.entries.delete(key);
      else this.entries.set(key, value);
    }
    return true;
  }

  changesAfter(revision: number): readonly (readonly RegistryChange[])[] {
    return this.#log.slice(revision);
  }
}

/**
 * One writer of a registry in memory. Several stores of one `MemoryRegistry` are agents of one cluster: a store learns
 * of the changes of others when it refreshes, or when its own write comes second.
 */
export class MemoryRegistryStore implements RegistryStore {
  readonly state = new RegistryState();
  readonly registry: MemoryRegistry;
  /** How often a decision was repeated because another writer was first. */
  staleDecisions = 0;
  /** How often the state was refreshed. */
  refreshes = 0;
  /** Runs between a decision and its commit, where tests let another writer be first. */
  beforeCommit: () => void | Promise<void> = () => {};

  constructor(registry = new MemoryRegistry()) {
    this.registry = registry;
    this.#catchUp();
  }

  async refresh(): Promise<void> {
    this.refreshes += 1;
    this.#catchUp();
  }

  async write<Reply>(decide: (state: RegistryState) => Decision<Reply>): Promise<Reply> {
    for (;;) {
      const revision = this.state.revision;
      const decision = decide(this.state);
      if ('after' in decision) {
        await decision.after;
        continue;
      }
      await this.beforeCommit();
      const isCommitted =
        decision.changes.length === 0
          ? this.registry.revision === revision
          : this.registry.commit(revision, decision.changes);
      this.#catchUp();
      if (isCommitted) return decision.reply;
      this.staleDecisions += 1;
    }
  }

  #catchUp(): void {
    for (const changes of this.registry.changesAfter(this.state.revision)) {
      for (const { key, value } of changes) this.state.apply(key, value);
      this.state.revision += 1;
    }
  }
}
