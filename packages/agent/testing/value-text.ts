import type { ValueToWrite } from '@weir/wire';

/** What is written of a value, as text. It must take no more and no less than it says. */
export function valueText(value: ValueToWrite): string {
  const guard = 0xff;
  const bytes = Buffer.alloc(value.byteLength + 2, guard);
  value.writeTo(bytes, 1);
  if (bytes[0] !== guard || bytes.at(-1) !== guard) throw new Error('a value was written beyond its place');
  return bytes.toString('utf8', 1, value.byteLength + 1);
}
