import type { ObjectStore } from '@weir/storage';
import type { Lifetime } from '../kafka/lifetime.ts';

/** The client that the maker of a store offers, for what the benchmark does. */
interface RivalClient {
  put(key: string, content: Buffer): Promise<void>;
  /** Returns the bytes in memory. */
  getRange(key: string, start: number, end: number): Promise<Uint8Array>;
  close(): void;
}

/** A driver, and the client of its maker, over the same server on loopback. */
export interface DriverRival {
  /** The scheme of the driver. */
  readonly name: string;
  /** Names the client, in the table. */
  readonly rivalName: string;
  open(lifetime: Lifetime): Promise<{ readonly ours: ObjectStore; readonly rival: RivalClient }>;
}
