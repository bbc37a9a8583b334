import { MiB } from '@weir/core';
import { atLeast, atMost, type Bar, type Row } from '../benchmark.ts';
import type { StoreLatency } from '../kafka/store-latency.ts';

/** Producers that send as Apache's do by default: idempotent, acks=all, five requests in flight. */
export interface ProducerLoad {
  readonly producers: number;
  readonly partitions: number;
  readonly batchBytes: number;
  readonly lingerMs: number;
  /** Of all producers together; as much as the agent takes if absent. */
  readonly mbPerSecond?: number;
  /** What they write, all together. */
  readonly megabytes: number;
}

export interface Measured {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mbPerSecond: number;
  readonly putsPerGib: number;
}

export interface SlowStoreLoad {
  readonly what: string;
  readonly store: StoreLatency;
  /** Of `-batchTimeout`; its default if absent. */
  readonly windowMs?: number;
  /** Whether the topic is a lightning topic, whose producers are not idempotent. */
  readonly isLightning?: true;
  readonly load: ProducerLoad;
  readonly bars: Partial<Record<keyof Measured, Bar>>;
}

export const usualWindowMs = 250;

/** The first part of a run fills the percentiles that hedging uses, and does not count. */
export const warmUpShare = 0.25;

/** Size of a 1 KiB record in a batch. */
export const recordBytes = 1_024;
export const storedRecordBytes = recordBytes + 16;

const many = { producers: 16, partitions: 16, batchBytes: 256 * 1024, lingerMs: 5 } as const;
const usualStore: StoreLatency = { kind: 'log-normal', medianMs: 60, p99Ms: 400 };

/** Loads over slow stores, for which the time to close a file and to send an upload again is tuned. */
export const slowStoreLoads: readonly SlowStoreLoad[] = [
  {
    what: '10 MB/s from 16 producers, store 60 ms (p99 400 ms)',
    store: usualStore,
    load: { ...many, mbPerSecond: 10, megabytes: 400 },
    bars: { p50Ms: atMost(150), p99Ms: atMost(420) },
  },
  {
    what: '10 MB/s from 16 producers, store 8 ms, window 25 ms',
    store: { kind: 'constant', ms: 8 },
    windowMs: 25,
    load: { ...many, mbPerSecond: 10, megabytes: 200 },
    bars: { p50Ms: atMost(22), p99Ms: atMost(40) },
  },
  {
    what: 'one producer, batches of 1 MiB, store 60 ms (p99 400 ms)',
    store: usualStore,
    load: { producers: 1, partitions: 1, batchBytes: MiB, lingerMs: 20, megabytes: 2_000 },
    bars: { mbPerSecond: atLeast(100) },
  },
  {
    what: '50 MB/s from 16 producers, store 60 ms (p99 400 ms)',
    store: usualStore,
    load: { ...many, mbPerSecond: 50, megabytes: 1_500 },
    bars: { putsPerGib: atMost(90) },
  },
];

/**
 * Four records at nearly the same time every 200 ms: answers of a connection come in the order of its requests, so with
 * more of them one slow upload delays the answers behind it.
 */
const light = {
  producers: 4,
  partitions: 16,
  batchBytes: 16 * 1024,
  lingerMs: 0,
  mbPerSecond: 0.02,
} as const;

/** Loads on lightning topics: what an acknowledgement costs beyond the upload of its file. */
export const lightningLoads: readonly SlowStoreLoad[] = [
  {
    what: 'lightning, 20 records/s, store 8 ms, window 25 ms',
    store: { kind: 'constant', ms: 8 },
    windowMs: 25,
    isLightning: true,
    load: { ...light, megabytes: 1.2 },
    bars: { p50Ms: atMost(12), p99Ms: atMost(30) },
  },
  {
    what: 'lightning, 20 records/s, store 60 ms (p99 400 ms), window 25 ms',
    store: usualStore,
    windowMs: 25,
    isLightning: true,
    load: { ...light, megabytes: 1.2 },
    bars: { p50Ms: atMost(75), p99Ms: atMost(420) },
  },
];

const figures: Record<keyof Measured, { readonly name: string; readonly unit: Row['unit'] }> = {
  p50Ms: { name: 'p50', unit: 'ms' },
  p99Ms: { name: 'p99', unit: 'ms' },
  mbPerSecond: { name: 'throughput', unit: 'MB/s' },
  putsPerGib: { name: 'PUTs', unit: 'per GiB' },
};

/** A row for each figure that has a bar. */
export function rowsOf({ what, bars }: SlowStoreLoad, measured: Measured, detail: string): Row[] {
  const all = Object.entries(figures)
    .map(([key, { name, unit }]) => `${name} ${measured[key as keyof Measured]} ${unit}`)
    .join(', ');
  return Object.entries(bars).map(([key, bar]) => {
    const { name, unit } = figures[key as keyof Measured];
    const result = measured[key as keyof Measured];
    return { what: `${what}: ${name}`, result, unit, bar, detail: `${all}; ${detail}` };
  });
}
