import type { Cast, Literal } from './tree.ts';

/** A text that is a number, as JSON writes numbers; zeros may stand before it. */
const numberText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What a value of an event is under a cast; `null` where it has no such form. */
export function castTo(cast: Cast, value: unknown): Literal {
  switch (cast) {
    case 'str':
      return isPlain(value) ? String(value) : null;
    case 'float':
      return toNumber(value);
    case 'int': {
      const number = toNumber(value);
      // Towards zero, and never minus zero.
      return number === null ? null : Math.trunc(number) + 0;
    }
  }
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || !numberText.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
