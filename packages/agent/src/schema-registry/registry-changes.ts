import type { ClusterChange, ClusterSnapshot } from '@weir/cluster';
import type { RegistryChangeStream } from '@weir/registry';

/** Announces changes of the registry from the change stream that the agent follows anyway. */
export class RegistryChanges implements RegistryChangeStream {
  readonly #listeners = new Set<() => void>();
  #revision = 0;

  registryRevision(): number {
    return this.#revision;
  }

  onRegistryChange(run: () => void): () => void {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  restart({ registryRevision = 0 }: Pick<ClusterSnapshot, 'registryRevision'>): void {
    this.#changeTo(registryRevision);
  }

  observe(changes: readonly ClusterChange[]): void {
    for (const change of changes) if (change.kind === 'registry') this.#changeTo(change.revision);
  }

  #changeTo(revision: number): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    for (const run of this.#listeners) run();
  }
}
