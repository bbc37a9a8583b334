import { diagnosticLimits } from '../src/limits.ts';
import type { Transition } from '../src/record.ts';
import {
  type DiagnosticChange,
  type DiagnosticsStore,
  newestFirst,
  type StoredDiagnostic,
  type TransitionsQuery,
} from '../src/store.ts';

interface Row extends StoredDiagnostic {
  /** The oldest first. */
  readonly transitions: readonly Transition[];
}

/** Diagnostics of one process, in memory. */
export class MemoryDiagnosticsStore implements DiagnosticsStore {
  readonly #rowsByCluster = new Map<string, Map<string, Row>>();

  async load(clusterId: string): Promise<readonly StoredDiagnostic[]> {
    const rows = [...(this.#rowsByCluster.get(clusterId)?.values() ?? [])];
    return rows
      .map(({ record, version }) => ({ record, version }))
      .sort((a, b) => (a.record.name < b.record.name ? -1 : 1));
  }

  async save(changes: readonly DiagnosticChange[]): Promise<readonly boolean[]> {
    return changes.map((change) => this.#saveOne(change));
  }

  async transitions({ clusterId, name, after, limit }: TransitionsQuery): Promise<readonly Transition[]> {
    const rows = [...(this.#rowsByCluster.get(clusterId)?.values() ?? [])];
    return rows
      .filter(({ record }) => name === undefined || record.name === name)
      .flatMap(({ transitions }) => transitions)
      .filter((transition) => after === undefined || newestFirst(after, transition) < 0)
      .sort(newestFirst)
      .slice(0, limit);
  }

  async forget(clusterId: string): Promise<void> {
    this.#rowsByCluster.delete(clusterId);
  }

  #saveOne({ record, loadedVersion, transitions }: DiagnosticChange): boolean {
    const rows = this.#rowsByCluster.get(record.clusterId) ?? new Map<string, Row>();
    const before = rows.get(record.name) ?? { version: 0, transitions: [] };
    if (before.version !== loadedVersion) return false;
    this.#rowsByCluster.set(record.clusterId, rows);
    rows.set(record.name, {
      record,
      version: loadedVersion + 1,
      transitions: [...before.transitions, ...transitions].slice(-diagnosticLimits.diagnosticTransitionsMax),
    });
    return true;
  }
}
