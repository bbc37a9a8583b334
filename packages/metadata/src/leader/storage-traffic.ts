import { type AgentReport, type RequestKind, requestKinds, type StorageTraffic } from '@weir/cluster';
import { type Clock, coreLimits } from '@weir/core';

interface Slot {
  readonly startMs: number;
  ingestedBytes: number;
  mergedBytes: number;
  /** By bucket, in the order of `requestKinds`. */
  readonly requests: Map<string, number[]>;
}

const slotMs = 600_000;
/** With the slots that are retained, a day. */
const slotsMax = 144;

/**
 * What agents wrote and requested in the last day, in slots of ten minutes. In memory only: a new leader begins anew,
 * so the sums say which time they are of.
 */
export class StorageTrafficSums {
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #slots: Slot[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
  }

  /** Adds a report. With `sign` -1 it removes one that the agent sends again as part of a longer one. */
  add({ files, mergedBytes = 0, buckets = [] }: AgentReport, sign: 1 | -1 = 1): void {
    const slot = this.#slot();
    slot.ingestedBytes += sign * (files?.bytes ?? 0);
    slot.mergedBytes += sign * mergedBytes;
    for (const { name, requests = [] } of buckets) {
      const counts = slot.requests.get(name) ?? requestKinds.map(() => 0);
      if (!slot.requests.has(name) && slot.requests.size >= coreLimits.reportedBucketsMax) continue;
      slot.requests.set(name, counts);
      for (const [kind, count] of requests.entries()) counts[kind]! += sign * count;
    }
  }

  /** Sums of the last `spanMs`, rounded up to slots. */
  read(spanMs: number): StorageTraffic {
    const nowMs = this.#clock.monotonicMs();
    const slots = this.#slots.filter(({ startMs }) => startMs + slotMs > nowMs - spanMs);
    const fromMs = Math.max(this.#beganMs, Math.floor((nowMs - spanMs) / slotMs) * slotMs);
    const byBucket = new Map<string, number[]>();
    for (const { requests } of slots) {
      for (const [name, counts] of requests) {
        const sums = byBucket.get(name) ?? requestKinds.map(() => 0);
        byBucket.set(name, sums);
        for (const [kind, count] of counts.entries()) sums[kind]! += count;
      }
    }
    return {
      spanMs: Math.max(0, Math.round(nowMs - fromMs)),
      ingestedBytes: Math.max(0, sum(slots, 'ingestedBytes')),
      mergedBytes: Math.max(0, sum(slots, 'mergedBytes')),
      buckets: [...byBucket].map(([name, sums]) => ({
        name,
        requests: Object.fromEntries(
          requestKinds.map((kind, index) => [kind, Math.max(0, sums[index]!)]),
        ) as Record<RequestKind, number>,
      })),
    };
  }

  #slot(): Slot {
    const startMs = Math.floor(this.#clock.monotonicMs() / slotMs) * slotMs;
    const last = this.#slots.at(-1);
    if (last?.startMs === startMs) return last;
    const slot: Slot = { startMs, ingestedBytes: 0, mergedBytes: 0, requests: new Map() };
    this.#slots.push(slot);
    if (this.#slots.length > slotsMax) this.#slots.shift();
    return slot;
  }
}

function sum(slots: readonly Slot[], name: 'ingestedBytes' | 'mergedBytes'): number {
  return slots.reduce((total, slot) => total + slot[name], 0);
}
