import type { Type } from './types.ts';

/**
 * Whether readers of `to` can read data files with `from`: the same type, int as long, float as double, a decimal with
 * more digits. Files are not rewritten when a column is widened.
 */
export function canRead(from: Type, to: Type): boolean {
  if (from.kind === 'int') return to.kind === 'int' || to.kind === 'long';
  if (from.kind === 'float') return to.kind === 'float' || to.kind === 'double';
  if (from.kind === 'decimal')
    return to.kind === 'decimal' && to.scale === from.scale && to.precision >= from.precision;
  if (from.kind === 'fixed') return to.kind === 'fixed' && to.bytes === from.bytes;
  return from.kind === to.kind;
}
