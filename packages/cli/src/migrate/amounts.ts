import { GiB, KiB, MiB, TiB } from '@weir/core';

const units = [
  ['TiB', TiB],
  ['GiB', GiB],
  ['MiB', MiB],
  ['KiB', KiB],
] as const;

/** A size for people, with two or three digits. */
export function roundedBytes(bytes: number): string {
  const [name, size] = units.find(([, unit]) => bytes >= unit) ?? ['B', 1];
  const amount = bytes / size;
  return `${amount >= 100 || size === 1 ? Math.round(amount) : amount.toFixed(1)} ${name}`;
}

/** A duration for people, in its two largest units. */
export function roundedSeconds(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours >= 48) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${Math.round(seconds % 60)}s` : `${Math.round(seconds)}s`;
}
