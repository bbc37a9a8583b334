import type { Cast, Literal } from './tree.ts';

/** A text that is a JSON number; leading zeros are allowed. */
const numberText = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Casts a value of an event; `null` if the cast does not apply. */
export function castTo(cast: Cast, value: unknown): Literal {
  switch (cast) {
    case 'str':
      return isPlain(value) ? String(value) : null;
    case 'float':
      return toNumber(value);
    case 'int': {
      const number = toNumber(value);
      // Rounds towards zero, and never gives minus zero.
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
