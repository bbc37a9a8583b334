import type { Clock, Log, Metrics } from '@weir/core';
import { changeDiagnostics } from './change.ts';
import type { Check } from './check.ts';
import type { DiagnosticSnapshot } from './diagnostic-snapshot.ts';
import { DiagnosticGauges } from './gauges.ts';
import { type ClusterHistory, noHistory, withSnapshot } from './history.ts';
import type { DiagnosticRecord, Transition } from './record.ts';
import { checks as allChecks } from './registry.ts';
import { type CheckRun, runChecks, runWithoutData } from './run-checks.ts';
import { firstRunMs, nextRunMs } from './run-times.ts';
import type { DiagnosticsStore } from './store.ts';

export interface DiagnosticsRunnerOptions {
  /** The clusters that this process leads at the moment. */
  readonly clusterIds: () => readonly string[];
  /** The signal is aborted when the result is no longer needed. */
  readonly takeDiagnosticSnapshot: (clusterId: string, signal: AbortSignal) => Promise<DiagnosticSnapshot>;
  readonly store: DiagnosticsStore;
  /** The metrics of one cluster. */
  readonly metricsOf: (clusterId: string) => Metrics;
  /** Called for every transition that is not silent, once it is stored. */
  readonly onTransition: (transition: Transition) => void;
  /** Called after every run with the current records, once they are stored. */
  readonly onChecked?: ((clusterId: string, records: readonly DiagnosticRecord[]) => void) | undefined;
  /** Called for clusters that are no longer checked. */
  readonly onUnwatched?: ((clusterId: string) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks?: readonly Check[] | undefined;
  readonly intervalMs?: number | undefined;
}

export const defaultIntervalMs = 60_000;
/** How often due clusters are looked up, in parts of an interval. */
const stepsPerInterval = 60;
/** The timeout of a snapshot. */
export const diagnosticSnapshotMsMax = 30_000;
/** Clusters that are checked concurrently, so that a slow one does not delay all others. */
const concurrentRunsMax = 4;

interface Watched {
  history: ClusterHistory;
  /** When its next run is due, in monotonic time. */
  dueMs: number;
  readonly gauges: DiagnosticGauges;
}

/** Runs diagnostics periodically for every cluster that this process leads. */
export class DiagnosticsRunner {
  readonly #options: DiagnosticsRunnerOptions;
  readonly #watched = new Map<string, Watched>();
  #cancel: () => void = () => {};
  #hasStopped = false;
  /** Serializes the rounds. */
  #round: Promise<void> = Promise.resolve();

  constructor(options: DiagnosticsRunnerOptions) {
    this.#options = options;
  }

  /** Starts checking each cluster once per interval, at its own phase. */
  start(): void {
    this.#cancel = this.#options.clock.after(this.#intervalMs / stepsPerInterval, () => {
      void this.#inTurn(() => this.#checkDue()).then(() => {
        if (!this.#hasStopped) this.start();
      });
    });
  }

  /**
   * Resolves when every cluster was checked once more. It never rejects: failures are logged and retried in the next
   * round.
   */
  checkAll(): Promise<void> {
    return this.#inTurn(() => this.#checkEach(this.#visibleClusters()));
  }

  /** Starts nothing more, and waits for work in flight. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#cancel();
    await this.#round;
    for (const clusterId of [...this.#watched.keys()]) this.#unwatch(clusterId);
  }

  get #intervalMs(): number {
    return this.#options.intervalMs ?? defaultIntervalMs;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#round = this.#round.then(work);
    return this.#round;
  }

  async #checkDue(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const due = this.#visibleClusters().filter((clusterId) => this.#watch(clusterId).dueMs <= nowMs);
    for (const clusterId of due) {
      const watched = this.#watch(clusterId);
      watched.dueMs = nextRunMs(watched.dueMs, nowMs, this.#intervalMs);
    }
    await this.#checkEach(due);
  }

  /** Returns the clusters that this process leads now, and drops the state of others. */
  #visibleClusters(): readonly string[] {
    const clusterIds = new Set(this.#options.clusterIds());
    for (const clusterId of [...this.#watched.keys()]) {
      if (!clusterIds.has(clusterId)) this.#unwatch(clusterId);
    }
    return [...clusterIds];
  }

  async #checkEach(clusterIds: readonly string[]): Promise<void> {
    // The workers share one iterator.
    const next = clusterIds.values();
    const takeTurns = async () => {
      for (const clusterId of next) await this.#readMeasuredSnapshot(clusterId);
    };
    await Promise.all(Array.from({ length: concurrentRunsMax }, takeTurns));
  }

  async #readMeasuredSnapshot(clusterId: string): Promise<void> {
    if (this.#hasStopped) return;
    const { store, onTransition, onChecked, clock, log } = this.#options;
    try {
      const watched = this.#watch(clusterId);
      const { results } = await this.#see(clusterId, watched);
      const atMs = clock.nowMs();
      const events = results.map(({ name, result }) => ({
        name,
        event: { kind: 'looked', atMs, result } as const,
      }));
      const { records, transitions } = await changeDiagnostics(store, clusterId, events, atMs);
      watched.gauges.show(records);
      onChecked?.(clusterId, records);
      for (const transition of transitions) if (!transition.isSilent) onTransition(transition);
    } catch (error) {
      log.warn('failed to store diagnostics of cluster, retrying at the next run', {
        clusterId,
        error: (error as Error).message,
      });
    }
  }

  async #see(clusterId: string, watched: Watched): Promise<CheckRun> {
    const { store, log, checks = allChecks } = this.#options;
    let snapshot: DiagnosticSnapshot;
    try {
      snapshot = await this.#takeDiagnosticSnapshot(clusterId);
    } catch (error) {
      log.warn('failed to collect data for diagnostics of cluster', {
        clusterId,
        error: (error as Error).message,
      });
      return runWithoutData(
        clusterId,
        (await store.load(clusterId)).map(({ record }) => record.name),
      );
    }
    watched.history = withSnapshot(watched.history, snapshot);
    const { unfollowedPartitions } = watched.history;
    if (unfollowedPartitions > 0) {
      log.debug('skipped groups beyond the limit of diagnostics', { clusterId, unfollowedPartitions });
    }
    const seen = runChecks(checks, snapshot, watched.history);
    for (const { name, error } of seen.errors) {
      log.error('failed to run diagnostic check', {
        clusterId,
        name,
        error: (error as Error).stack ?? String(error),
      });
    }
    return seen;
  }

  async #takeDiagnosticSnapshot(clusterId: string): Promise<DiagnosticSnapshot> {
    const { takeDiagnosticSnapshot, clock } = this.#options;
    const attempt = new AbortController();
    const { promise: over, reject } = Promise.withResolvers<never>();
    const cancel = clock.after(diagnosticSnapshotMsMax, () => {
      const error = new Error(`timed out after ${diagnosticSnapshotMsMax} ms`);
      attempt.abort(error);
      reject(error);
    });
    try {
      return await Promise.race([takeDiagnosticSnapshot(clusterId, attempt.signal), over]);
    } finally {
      cancel();
    }
  }

  #watch(clusterId: string): Watched {
    const found = this.#watched.get(clusterId);
    if (found !== undefined) return found;
    const { clock, metricsOf } = this.#options;
    const made = {
      history: noHistory,
      dueMs: firstRunMs(clusterId, clock.monotonicMs(), this.#intervalMs),
      gauges: new DiagnosticGauges(metricsOf(clusterId)),
    };
    this.#watched.set(clusterId, made);
    return made;
  }

  #unwatch(clusterId: string): void {
    this.#watched.get(clusterId)?.gauges.clear();
    this.#watched.delete(clusterId);
    this.#options.onUnwatched?.(clusterId);
  }
}
