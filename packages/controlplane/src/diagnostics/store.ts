import type { DiagnosticRecord, Transition } from './record.ts';

/**
 * Where diagnostics are kept, for all processes of a control plane. The one that leads a cluster writes what it found,
 * any may mute; a version tells each of them when the other was faster.
 */
export interface DiagnosticsStore {
  /** All of a cluster, by name. */
  load(clusterId: string): Promise<readonly StoredDiagnostic[]>;

  /**
   * Saves records together with the transitions that led to them, each change by itself and whole. Answers in their
   * order: `false` when another version was saved since it was loaded, and then nothing of that change is stored.
   */
  save(changes: readonly DiagnosticChange[]): Promise<readonly boolean[]>;

  /** The newest first. Of every diagnostic the last `controlPlaneLimits.diagnosticTransitionsMax` are kept. */
  transitions(query: TransitionsQuery): Promise<readonly Transition[]>;

  /** Forgets a cluster that is gone. */
  forget(clusterId: string): Promise<void>;
}

export interface StoredDiagnostic {
  readonly record: DiagnosticRecord;
  /** 1 for the first one that was saved. */
  readonly version: number;
}

export interface DiagnosticChange {
  readonly record: DiagnosticRecord;
  /** The version that was loaded; 0 for a diagnostic that was not there. */
  readonly loadedVersion: number;
  readonly transitions: readonly Transition[];
}

export interface TransitionsQuery {
  readonly clusterId: string;
  /** Of this diagnostic only. */
  readonly name?: string | undefined;
  /** Goes on behind this one. */
  readonly after?: TransitionPlace | undefined;
  readonly limit: number;
}

export type TransitionPlace = Pick<Transition, 'atMs' | 'name' | 'number'>;

/** The order in which transitions are told: the newest first, and what happened at the same time by name and number. */
export function newestFirst(a: TransitionPlace, b: TransitionPlace): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return b.number - a.number;
}
