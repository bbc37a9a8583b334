import type { ValueToWrite } from '@weir/wire';

/** Returns the bytes of a value as text, and checks that it writes exactly as many bytes as it announces. */
export function valueText(value: ValueToWrite): string {
  const guard = 0xff;
  const bytes = Buffer.alloc(value.byteLength + 2, guard);
  value.writeTo(bytes, 1);
  if (bytes[0] !== guard || bytes.at(-1) !== guard) throw new Error('a value was written beyond its range');
  return bytes.toString('utf8', 1, value.byteLength + 1);
}
