import { int } from './numbers.ts';
import type { ValueType } from './value-type.ts';

/** A position in a partition: an offset, or one of its two ends. */
export type OffsetPosition = number | 'earliest' | 'latest';

export function offsetPosition(): ValueType<OffsetPosition> {
  const number = int({ min: 0 });
  const allowed = 'earliest, latest, or a number of at least 0';
  return {
    label: 'offset',
    syntax: '`earliest`, `latest` or `42`',
    allowed,
    parse(text) {
      const word = text.trim();
      if (word === 'earliest' || word === 'latest') return { value: word };
      const parsed = number.parse(word);
      return 'problem' in parsed ? { problem: `${allowed} is allowed` } : parsed;
    },
    print: String,
  };
}
