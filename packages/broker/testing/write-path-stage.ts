import {
  type ClusterPort,
  ClusterUnavailable,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
} from '@weir/cluster';
import { settle } from '@weir/core/testing';
import type { AppendOutcome, ProducedBatch } from '../src/write-path/produced-batch.ts';
import { DataPath, type DataPathOptions } from './data-path.ts';

interface StartedWritePath extends DataPath {
  readonly topicId: string;
}

export async function startWritePath(
  options: DataPathOptions = {},
  partitions = 4,
): Promise<StartedWritePath> {
  const path = new DataPath(options);
  const { topicId } = path.cluster.addTopic('t', partitions);
  await path.ready();
  return Object.assign(path, { topicId });
}

/** Appends, and stores the outcome when it arrives. */
export function append(
  path: DataPath,
  batches: readonly ProducedBatch[],
  timeoutMs = 30_000,
  left?: AbortSignal,
  connection?: object,
) {
  const state: { outcome?: AppendOutcome } = {};
  void path.writePath
    .append(batches, { deadlineMs: path.clock.monotonicMs() + timeoutMs, left, connection })
    .then((outcome) => {
      state.outcome = outcome;
    });
  return {
    get outcome() {
      return state.outcome;
    },
    get errors() {
      return state.outcome?.results.map(({ error }) => error);
    },
    get offsets() {
      return state.outcome?.results.map(({ baseOffset }) => baseOffset);
    },
  };
}

/** A client with a connection of its own, which waits for answers. */
export function client(path: DataPath) {
  const left = new AbortController().signal;
  return (batches: readonly ProducedBatch[]) => append(path, batches, 30_000, left, left);
}

/** Uploads that end when the test says so. */
export function heldPuts(path: DataPath) {
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  path.store.beforePut = (put) =>
    new Promise<void>((resolve, reject) => {
      waiting.set(put, { resolve, reject });
    });
  return {
    async finish(put: number) {
      waiting.get(put)!.resolve();
      await settle();
    },
    async fail(put: number) {
      waiting.get(put)!.reject(new Error('the store is on fire'));
      await settle();
    },
  };
}

/** A control plane whose commits go through the test. */
export function commitsThrough(
  commit: (wanted: FilesToCommit, cluster: ClusterPort) => Promise<readonly FileCommitResult[]>,
) {
  return (cluster: ClusterPort): ClusterPort =>
    new Proxy(cluster, {
      get(target, name) {
        if (name === 'commitFiles') return (wanted: FilesToCommit) => commit(wanted, target);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
}

/** A port that records what it was asked to commit. */
export function recordingPort(
  commits: FileCommit[][],
  around: (call: number) => 'go' | 'refuse' | 'loseAnswer' | 'break' | 'gone',
) {
  let call = 0;
  return commitsThrough(async (wanted, cluster) => {
    const files = filesToSend(wanted);
    if (files.length === 0) return [];
    commits.push([...files]);
    const what = around(++call);
    if (what === 'refuse') throw new ClusterUnavailable('no leader');
    if (what === 'break') throw new Error('a frame too large');
    if (what === 'gone') return files.map(goneResult);
    const results = await cluster.commitFiles(files);
    if (what === 'loseAnswer') throw new ClusterUnavailable('the connection broke');
    return results;
  });
}

/** The result of a file that the control plane has deleted. */
function goneResult({ topic: { length } }: FileCommit): FileCommitResult {
  return {
    error: new Uint8Array(length).fill(entryErrors.indexOf('KAFKA_STORAGE_ERROR')),
    baseOffset: new Float64Array(length).fill(-1),
    logStartOffset: new Float64Array(length).fill(-1),
  };
}
