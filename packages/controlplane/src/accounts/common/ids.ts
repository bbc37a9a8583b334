import { type ClusterType, clusterIdOf, type IdKind, idOf } from '@weir/api';
import type { Random } from '@weir/core';

/** Returns the id of a new object: a prefix for its kind, and a random UUID. */
export function freshId(kind: IdKind, random: Random): string {
  return idOf(kind, freshUuid(random));
}

export function freshClusterId(type: ClusterType, random: Random): string {
  return clusterIdOf(type, freshUuid(random));
}

/** Version 4. */
export function freshUuid(random: Random): string {
  const words = Uint32Array.from({ length: 4 }, () => random.below(0x1_0000_0000));
  words[1] = (words[1]! & 0xffff_0fff) | 0x4000;
  words[2] = (words[2]! & 0x3fff_ffff) | 0x8000_0000;
  const hex = Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
