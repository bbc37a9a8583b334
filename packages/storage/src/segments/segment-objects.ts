import type { GetOptions } from '../store/object-store.ts';

export const segmentNamePattern = /^\d{8}\.seg$/;

export type ReadOptions = Omit<GetOptions, 'signal'>;

/** Where a log file is in a segment. */
export interface SegmentLocation {
  readonly path: string;
  readonly generation: string;
  readonly at: number;
  readonly bytes: number;
  readonly writtenMs: number;
}

/** The log files that lie in segments, as a store sees them. */
export interface SegmentObjects {
  find(key: string): SegmentLocation | undefined;
  /** Learns what the owner of the segments wrote since. */
  refresh(): Promise<void>;
  /** Returns bytes of a file; `undefined` if it is gone. */
  read(
    location: SegmentLocation,
    start: number,
    end: number,
    options?: ReadOptions,
  ): Promise<Buffer | undefined>;
  remove(key: string): void;
  /** An ordinary object has the key now. */
  replaced(key: string): void;
  all(): Iterable<[key: string, location: SegmentLocation]>;
}
