import {
  addLatencies,
  type LatencyCounts,
  latencyStepOf,
  noLatencies,
  packLatencies,
  type ReportedBucket,
  type RequestKind,
  requestKinds,
} from '@weir/cluster';
import { coreLimits, shortName } from '@weir/core';
import type { EndedRequest, StoreOperation } from '@weir/storage';

/** The permission that each operation needs, in the terms of access policies. */
const permissions: Readonly<Record<StoreOperation, Permission>> = {
  put: 'put',
  putIfAbsent: 'put',
  beginUpload: 'put',
  putPart: 'put',
  finishUpload: 'put',
  abortUpload: 'put',
  listUploads: 'list',
  getRange: 'get',
  head: 'get',
  delete: 'delete',
  deleteMany: 'delete',
  list: 'list',
};

type Permission = 'put' | 'get' | 'delete' | 'list';

/** How object stores bill each operation; to abort an upload is free as deletions are. */
const kindIndexes = Object.fromEntries(
  Object.entries({ ...permissions, abortUpload: 'delete' as const }).map(([operation, kind]) => [
    operation,
    requestKinds.indexOf(kind),
  ]),
) as Readonly<Record<StoreOperation, number>>;

export function requestKindOf(operation: StoreOperation): RequestKind {
  return requestKinds[kindIndexes[operation]]!;
}

interface Counted {
  operationCount: number;
  failureCount: number;
  /** By kind. */
  readonly requests: number[];
  readonly denied: Map<string, number>;
  /** Requests that found no bucket. */
  missingCount: number;
  readonly latencies: { readonly put: LatencyCounts; readonly get: LatencyCounts };
}

/** Requests to the buckets of an agent; every attempt counts. */
export class BucketStats {
  readonly #byName = new Map<string, Counted>();

  note(bucket: string, { operation, outcome, latencyMs }: EndedRequest): void {
    const counted = this.#of(bucket);
    if (counted === undefined) return;
    counted.requests[kindIndexes[operation]]!++;
    // An aborted request does not count below: its client disconnected, or a second request was faster.
    if (outcome === 'aborted') return;
    counted.operationCount++;
    if (outcome === 'success') {
      if (operation === 'put' || operation === 'putIfAbsent') count(counted.latencies.put, latencyMs);
      if (operation === 'getRange') count(counted.latencies.get, latencyMs);
    } else if (outcome !== 'notFound' && !(outcome === 'denied' && operation === 'listUploads')) {
      // A policy need not allow to list uploads: the scan that does says so, and goes on.
      counted.failureCount++;
      if (outcome === 'denied') addTo(counted.denied, permissions[operation], 1);
      if (outcome === 'bucketMissing') counted.missingCount++;
    }
  }

  /** Requests of another thread; of these only the number is known. */
  noteSent(bucket: string, operation: StoreOperation, count: number): void {
    const counted = this.#of(bucket);
    if (counted !== undefined) counted.requests[kindIndexes[operation]]! += count;
  }

  /** Merges the stats of another instance. */
  absorb(other: BucketStats): void {
    for (const [name, from] of other.#byName) {
      const into = this.#of(name);
      if (into === undefined) continue;
      into.operationCount += from.operationCount;
      into.failureCount += from.failureCount;
      into.missingCount += from.missingCount;
      for (const [kind, count] of from.requests.entries()) into.requests[kind]! += count;
      for (const [operation, times] of from.denied) addTo(into.denied, operation, times);
      addLatencies(into.latencies.put, packLatencies(from.latencies.put));
      addLatencies(into.latencies.get, packLatencies(from.latencies.get));
    }
  }

  report(): readonly ReportedBucket[] {
    return [...this.#byName].map(([name, counted]) => {
      const { operationCount, failureCount, missingCount, requests, denied, latencies } = counted;
      const [putLatencies, getLatencies] = [packLatencies(latencies.put), packLatencies(latencies.get)];
      return {
        name: shortName(name),
        operationCount,
        failureCount,
        requests: [...requests],
        ...(denied.size === 0
          ? {}
          : { denied: [...denied].map(([operation, times]) => ({ operation, count: times })) }),
        ...(missingCount === 0 ? {} : { missingCount }),
        ...(putLatencies.length === 0 ? {} : { putLatencies }),
        ...(getLatencies.length === 0 ? {} : { getLatencies }),
      };
    });
  }

  #of(bucket: string): Counted | undefined {
    const found = this.#byName.get(bucket);
    if (found !== undefined || this.#byName.size >= coreLimits.reportedBucketsMax) return found;
    const made = {
      operationCount: 0,
      failureCount: 0,
      requests: requestKinds.map(() => 0),
      denied: new Map<string, number>(),
      missingCount: 0,
      latencies: { put: noLatencies(), get: noLatencies() },
    };
    this.#byName.set(bucket, made);
    return made;
  }
}

function count(latencies: LatencyCounts, latencyMs: number): void {
  latencies[latencyStepOf(latencyMs)]!++;
}

function addTo(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
