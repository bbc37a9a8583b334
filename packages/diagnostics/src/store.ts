import type { DiagnosticRecord, Transition } from './record.ts';

/**
 * The store of diagnostics for all processes of a control plane. The leader of a cluster writes findings, any process
 * may mute; versions detect concurrent changes.
 */
export interface DiagnosticsStore {
  /** Returns all diagnostics of a cluster, by name. */
  load(clusterId: string): Promise<readonly StoredDiagnostic[]>;

  /**
   * Saves records with the transitions that led to them; each change is atomic and independent. The results are in the
   * same order: `false` if another version was saved since the load, and then nothing of that change is stored.
   */
  save(changes: readonly DiagnosticChange[]): Promise<readonly boolean[]>;

  /**
   * Returns the newest first. The last `diagnosticLimits.diagnosticTransitionsMax` of every diagnostic are retained.
   */
  transitions(query: TransitionsQuery): Promise<readonly Transition[]>;

  /** Deletes the data of a deleted cluster. */
  forget(clusterId: string): Promise<void>;
}

export interface StoredDiagnostic {
  readonly record: DiagnosticRecord;
  /** 1 for the first save. */
  readonly version: number;
}

export interface DiagnosticChange {
  readonly record: DiagnosticRecord;
  /** The loaded version; 0 for a diagnostic that did not exist. */
  readonly loadedVersion: number;
  readonly transitions: readonly Transition[];
}

export interface TransitionsQuery {
  readonly clusterId: string;
  /** Of this diagnostic only. */
  readonly name?: string | undefined;
  /** Continues after this one. */
  readonly after?: TransitionPlace | undefined;
  readonly limit: number;
}

export type TransitionPlace = Pick<Transition, 'atMs' | 'name' | 'number'>;

/** Orders transitions: the newest first, and those of the same time by name and number. */
export function newestFirst(a: TransitionPlace, b: TransitionPlace): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return b.number - a.number;
}
