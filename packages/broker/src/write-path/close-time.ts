import type { FlushLimits, Stall } from './data-file.ts';

export interface OpenFile {
  readonly openedMs: number;
  readonly bytes: number;
  readonly requests: number;
  /** Connections whose requests are in it. */
  readonly clients: number;
  /** How many of its requests are half as large as a file or larger. */
  readonly largeRequests: number;
  /** When it got its last request, or when clients were last answered, who may send again. */
  readonly quietSinceMs: number;
  readonly stall: Stall;
  /** What came in lately, this file included. */
  readonly bytesPerMs: number;
  /** How long uploads take, 0 if unknown. */
  readonly uploadMs: number;
}

/** How far apart files of small requests are at least, as a share of the window and in milliseconds. */
const gatherShare = 1 / 3;
const gatherMsMax = 70;

/**
 * With more load files are further apart: so many milliseconds per MB/s. Latency counts more while files are small;
 * with more load the number of requests to the store would grow with the number of agents.
 */
const spacingMsPerMbps = 5;

/** An operator who asks for a shorter window wants latency more than few requests to the store. */
const patientWindowMs = 100;
/** Then a file waits for no longer than this many uploads take. */
const uploadsPerWindow = 1;

/** The share of requests that are large, from which on a file counts as one of large requests. */
const largeShare = 0.75;
/** So many clients with large requests do not fill a file with what they can have in flight. */
const fewClients = 3;

/** Longer than a client needs from one large request to its next. */
const quietMs = 20;

/** Longer than a client lingers between two small requests. */
const burstMs = 10;

/**
 * When an open file is due, for a store that charges per request. The window is the upper bound.
 *
 * With `filesAtOnce` a file after a pause is due at once, and so are some after it (`FileAllowance`).
 *
 * A file whose clients all wait for it cannot grow. If its requests are large, their clients are limited by the time
 * that a file takes, so it is due at once. Otherwise it keeps a distance from the file before it, so that many small
 * clients share a request to the store.
 *
 * A file that can grow, and is large enough to be worth a request, waits for as long as that distance. If it has large
 * requests of a few clients, or has reached the size that it should have, it waits only until no further one comes.
 *
 * The constants are tuned in virtual time: `bench/slow-store/`, ADR 0109.
 */
export function closeTimeMs(
  file: OpenFile,
  lastClosedMs: number,
  flush: FlushLimits,
  allowedMs = Number.POSITIVE_INFINITY,
): number {
  const { compressedBytesMax = Number.POSITIVE_INFINITY, gatheredBytesMax = Number.POSITIVE_INFINITY } =
    flush;
  const { openedMs, bytes, stall } = file;
  if (bytes >= gatheredBytesMax && stall === 'no') return file.quietSinceMs + burstMs;
  const gatherMs = Math.min(gatherMsMax, flush.windowMs * gatherShare);
  const windowEndMs = openedMs + waitMs(flush.windowMs, gatherMs, file.uploadMs);
  const latestMs = Math.min(windowEndMs, Math.max(openedMs, allowedMs));
  const spacingMs = Math.max(gatherMs, (spacingMsPerMbps * file.bytesPerMs) / 1000);
  const isLarge = areLarge(file);
  if (stall === 'here') {
    return isLarge ? openedMs : Math.min(latestMs, lastClosedMs + spacingMs);
  }
  if (bytes < compressedBytesMax) return latestMs;
  if (!isLarge || file.clients > fewClients) return Math.min(latestMs, openedMs + spacingMs);
  const gatheredMs = openedMs + gatherMs;
  return stall === 'no' ? Math.min(gatheredMs, file.quietSinceMs + quietMs) : gatheredMs;
}

/**
 * Whether requests are so large that a few of them make a file: clients that send as fast as they can, and can have
 * only a few in flight. One that sends at a rate has small requests beside a large one, which gathered while it waited
 * for an answer. Many of those make a file of large requests seem complete when it is not.
 */
function areLarge({ requests, largeRequests }: Pick<OpenFile, 'requests' | 'largeRequests'>): boolean {
  return largeRequests >= requests * largeShare;
}

interface FileRequests {
  readonly bytes: number;
  readonly appends: readonly { readonly bytes: number }[];
}

/** Returns how many requests are half as large as a file or larger, and 0 if too few are. */
export function countLarge({ bytes, appends }: FileRequests, flush: FlushLimits): number {
  const largeBytes = (flush.compressedBytesMax ?? Number.POSITIVE_INFINITY) / 2;
  // Most files have many small requests, which need not be looked at.
  if (bytes < appends.length * largeShare * largeBytes) return 0;
  let count = 0;
  for (const append of appends) if (append.bytes >= largeBytes) count++;
  return count;
}

export function hasLargeRequests(file: FileRequests, flush: FlushLimits): boolean {
  return areLarge({ requests: file.appends.length, largeRequests: countLarge(file, flush) });
}

function waitMs(windowMs: number, gatherMs: number, uploadMs: number): number {
  if (windowMs >= patientWindowMs || uploadMs === 0) return windowMs;
  return Math.min(windowMs, Math.max(gatherMs, uploadsPerWindow * uploadMs));
}

/**
 * When a file may be closed without waiting for its window: as many follow each other as are allowed at once, and over
 * time there is one for each window.
 */
export class FileAllowance {
  readonly #windowMs: number;
  readonly #filesAtOnce: number | undefined;
  /** Up to when the windows of closed files reach if they follow each other. */
  #usedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ windowMs, filesAtOnce }: FlushLimits) {
    this.#windowMs = windowMs;
    this.#filesAtOnce = filesAtOnce;
  }

  /** When the next file may be closed. */
  get allowedMs(): number {
    if (this.#filesAtOnce === undefined) return Number.POSITIVE_INFINITY;
    return this.#usedUntilMs - (this.#filesAtOnce - 1) * this.#windowMs;
  }

  closed(nowMs: number): void {
    this.#usedUntilMs = Math.max(this.#usedUntilMs, nowMs) + this.#windowMs;
  }
}

/** Over which time `RecentRate` averages. */
const rateMs = 1_000;

/** Bytes per millisecond, averaged over about a second, of which the latest counts most. */
export class RecentRate {
  #bytes = 0;
  #sinceMs = 0;

  add(bytes: number, nowMs: number): void {
    this.#bytes = this.#left(nowMs) + bytes;
    this.#sinceMs = nowMs;
  }

  /** With bytes that are not counted yet. */
  bytesPerMs(nowMs: number, further: number): number {
    return (this.#left(nowMs) + further) / rateMs;
  }

  #left(nowMs: number): number {
    return this.#bytes * Math.exp((this.#sinceMs - nowMs) / rateMs);
  }
}
