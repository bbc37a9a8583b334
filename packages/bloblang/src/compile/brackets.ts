import { getInt } from '../go/coerce.ts';
import type { Frame } from '../runtime/frame.ts';
import type { Query } from '../runtime/query.ts';
import { fail, prefixed, wrongType } from '../values/mapping-error.ts';
import { Bytes, type Value } from '../values/value.ts';

/** `x[i]`: an element of an array, or a byte of a string or of bytes; negative from the end. */
export function bracketIndex(target: Query, index: Query): Query {
  return {
    annotation: 'index',
    exec(frame) {
      const value = target.exec(frame);
      const given = integer(index, frame, 'index');
      const bytes =
        typeof value === 'string'
          ? Buffer.from(value, 'utf8')
          : value instanceof Bytes
            ? value.buffer
            : undefined;
      if (bytes === undefined && !Array.isArray(value)) throw wrongType(value, 'array', 'string');
      const length = bytes === undefined ? (value as Value[]).length : bytes.length;
      const place = given < 0 ? given + length : given;
      if (place < 0 || place >= length) fail(`index ${place} out of bounds for length ${length}`);
      if (bytes === undefined) return (value as Value[])[place]!;
      return typeof value === 'string' ? String.fromCharCode(bytes[place]!) : bytes[place]!;
    },
  };
}

function integer(query: Query, frame: Frame, what: string): number {
  const value = query.exec(frame);
  try {
    return Number(getInt(value));
  } catch (error) {
    throw prefixed(error, what);
  }
}

/** `x[start:end:step]`: elements, bytes, or characters of a string. */
export function bracketSlice(
  target: Query,
  start: Query | undefined,
  end: Query | undefined,
  step: Query | undefined,
): Query {
  return {
    annotation: 'slice',
    exec(frame) {
      const value = target.exec(frame);
      const from = start && integer(start, frame, 'slice start bound');
      const to = end && integer(end, frame, 'slice end bound');
      const by = step && integer(step, frame, 'slice step');
      if (by === 0) fail('slice step cannot be zero');
      if (from !== undefined && to !== undefined && by === undefined && from > to)
        fail(`lower slice bound (${from}) must be lower than upper (${to})`);
      const { budget } = frame.run;
      if (typeof value === 'string') {
        budget.build(value.length);
        return sliced([...value], from, to, by).join('');
      }
      if (value instanceof Bytes) return new Bytes(Buffer.from(sliced([...value.buffer], from, to, by)));
      if (!Array.isArray(value)) throw wrongType(value, 'array', 'string');
      budget.copy(value.length);
      return sliced(value, from, to, by);
    },
  };
}

function sliced<Item>(
  items: readonly Item[],
  start: number | undefined,
  end: number | undefined,
  step = 1,
): Item[] {
  const { length } = items;
  const isForward = step > 0;
  let from = start ?? (isForward ? 0 : length - 1);
  let to = end ?? (isForward ? length : -1);
  if (start !== undefined && start < 0) from = Math.max(length + start, 0);
  if (end !== undefined && end < 0) to = Math.max(length + end, -1);
  if (isForward) {
    from = Math.min(from, length);
    to = Math.min(to, length);
  } else from = Math.min(from, length - 1);
  if (step === 1) return from > to ? [] : items.slice(from, Math.max(to, 0));
  const result: Item[] = [];
  if (isForward) for (let index = from; index < to; index += step) result.push(items[index]!);
  else for (let index = from; index > to; index += step) result.push(items[index]!);
  return result;
}
