import type { ClusterPort } from '@weir/cluster';
import { MiB } from '@weir/core';
import { registryEntryIn } from '@weir/registry/entry-facts';
import type { RegistryFacts } from './diagnostic-snapshot.ts';
import { diagnosticLimits } from './limits.ts';

const pageBytes = 4 * MiB;

/**
 * The compatibility levels of the registry of one cluster. It reads what changed since the last time, and keeps only
 * names of subjects and levels, so that a check every minute costs nothing where nothing changes.
 */
export class RegistryLevels {
  /** Live versions by subject. */
  #versions = new Map<string, Set<number>>();
  /** Levels by scope: a subject, `:.context:`, `:.__GLOBAL:`, or nothing for the default context. */
  #levels = new Map<string, string>();
  #revision = 0;
  #startRevision = 0;

  /** Returns nothing for a registry without subjects. */
  async read(port: Pick<ClusterPort, 'readRegistry'>, signal: AbortSignal): Promise<RegistryFacts> {
    for (;;) {
      signal.throwIfAborted();
      const page = await port.readRegistry({
        afterRevision: this.#revision,
        startRevision: this.#startRevision,
        bytesMax: pageBytes,
      });
      if (page.restarts) this.#forget();
      if (this.#revision === 0) this.#startRevision = page.revision;
      for (const { key, value } of page.entries) this.#apply(key, value);
      this.#revision = page.isComplete ? page.revision : page.entries.at(-1)!.revision;
      if (page.isComplete) return this.#facts();
    }
  }

  #forget(): void {
    this.#versions.clear();
    this.#levels.clear();
    this.#revision = 0;
  }

  #apply(key: string, value: Uint8Array | null): void {
    const entry = registryEntryIn(key, value);
    if (entry?.kind === 'config') {
      if (entry.level === undefined) this.#levels.delete(entry.scope);
      else this.#levels.set(entry.scope, entry.level);
    } else if (entry?.kind === 'version') {
      const versions = this.#versions.get(entry.subject) ?? new Set();
      if (entry.isLive) versions.add(entry.version);
      else versions.delete(entry.version);
      if (versions.size === 0) this.#versions.delete(entry.subject);
      else this.#versions.set(entry.subject, versions);
    }
  }

  #facts(): RegistryFacts {
    const unchecked: string[] = [];
    let count = 0;
    for (const subject of this.#versions.keys()) {
      if (this.#levelOf(subject) !== 'NONE') continue;
      count++;
      if (unchecked.length < diagnosticLimits.diagnosticFindingsMax) unchecked.push(subject);
    }
    return {
      subjectCount: this.#versions.size,
      uncheckedSubjectCount: count,
      uncheckedSubjects: unchecked.sort(),
      isUncheckedByDefault: this.#levelOf('') === 'NONE',
    };
  }

  /** A level is inherited from the context of a subject, and from the whole registry. */
  #levelOf(subject: string): string | undefined {
    const context = /^:\.[^:]*:/.exec(subject)?.[0] ?? '';
    return this.#levels.get(subject) ?? this.#levels.get(context) ?? this.#levels.get(':.__GLOBAL:');
  }
}
