import { type DiagnosticRecord, newRecord, type Transition } from './record.ts';
import { describeCheck } from './registry.ts';
import type { DiagnosticsStore } from './store.ts';
import { type DiagnosticEvent, step } from './transitions.ts';

/** An event of one diagnostic. */
interface NamedEvent {
  readonly name: string;
  readonly event: DiagnosticEvent;
}

export interface ChangedDiagnostics {
  /** All records of the cluster, after the change. */
  readonly records: readonly DiagnosticRecord[];
  /** Stored; published unless they are silent. */
  readonly transitions: readonly Transition[];
}

/** Concurrent changes are rare; more retries than this mean that the store is broken. */
const triesMax = 5;

/** Names must be distinct, and unknown names are skipped. */
export async function changeDiagnostics(
  store: DiagnosticsStore,
  clusterId: string,
  events: readonly NamedEvent[],
  atMs: number,
): Promise<ChangedDiagnostics> {
  const records = new Map<string, DiagnosticRecord>();
  const transitions: Transition[] = [];
  let left = events;
  for (let tries = 0; tries < triesMax; tries++) {
    const stored = new Map((await store.load(clusterId)).map((row) => [row.record.name, row]));
    for (const { record } of stored.values()) records.set(record.name, record);
    const changes = left.flatMap((named) => {
      const check = describeCheck(named.name);
      if (check === undefined) return [];
      const { record: before, version } = stored.get(named.name) ?? {
        record: newRecord(clusterId, named.name, atMs),
        version: 0,
      };
      const after = step(check, before, named.event);
      if (after.record === before && version > 0) return [];
      return [{ named, change: { ...after, loadedVersion: version } }];
    });
    const saved = changes.length === 0 ? [] : await store.save(changes.map(({ change }) => change));
    for (const [index, { change }] of changes.entries()) {
      if (saved[index] !== true) continue;
      records.set(change.record.name, change.record);
      transitions.push(...change.transitions);
    }
    left = changes.filter((_, index) => saved[index] !== true).map(({ named }) => named);
    if (left.length === 0) break;
  }
  if (left.length > 0) {
    throw new Error(
      `the diagnostics ${left.map(({ name }) => name).join(', ')} of cluster ${clusterId} kept changing concurrently; retry later`,
    );
  }
  return { records: [...records.values()], transitions };
}
