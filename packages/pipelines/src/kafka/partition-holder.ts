import type { Place } from '@weir/client';

/** Partitions with the offsets to read from; absent where the cluster has to be asked. */
export interface AssignedPlace extends Place {
  readonly offset: number | undefined;
}

/** What reads the partitions that are assigned to it. */
export interface PartitionHolder {
  held(): readonly Place[];
  assign(places: readonly AssignedPlace[]): Promise<void>;
  /** The offsets to commit of some partitions: only what is settled. */
  committable(places: readonly Place[]): readonly (Place & { readonly offset: bigint })[];
  committed(offsets: readonly (Place & { readonly offset: bigint })[]): void;
  /** Reads partitions no more; what is settled later counts for nothing. */
  drop(places: readonly Place[]): void;
}

export function placeKey({ topic, partition }: Place): string {
  return `${topic}:${partition}`;
}
