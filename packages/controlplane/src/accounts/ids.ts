import type { Random } from '@weir/core';

/** Prefixes of ids: what a reader of a log learns from an id alone. */
export type IdPrefix =
  | 'ti'
  | 'ui'
  | 'wi'
  | 'pri'
  | 'ini'
  | 'usi'
  | 'aki'
  | 'vci'
  | 'vci_sr'
  | 'vci_dl'
  | 'aui';

/** `wi_` and a random UUID (version 4) written with underscores. */
export function freshId(prefix: IdPrefix, random: Random): string {
  const words = Uint32Array.from({ length: 4 }, () => random.below(0x1_0000_0000));
  words[1] = (words[1]! & 0xffff_0fff) | 0x4000;
  words[2] = (words[2]! & 0x3fff_ffff) | 0x8000_0000;
  const hex = Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ];
  return [prefix, ...parts].join('_');
}
