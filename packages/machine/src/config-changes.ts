import type { ByteReader } from './bytes/byte-reader.ts';
import type { ByteWriter } from './bytes/byte-writer.ts';

/** Changes of configs: a text sets, `null` unsets. */
export type ConfigChanges = Readonly<Record<string, string | null>>;

export function writeConfigChanges(writer: ByteWriter, changed: ConfigChanges): void {
  const pairs = Object.entries(changed);
  writer.varint(pairs.length);
  for (const [name, text] of pairs) {
    writer.text(name);
    writer.u8(text === null ? 0 : 1);
    if (text !== null) writer.text(text);
  }
}

/** Reads changes and returns the resulting configs; the same object if there are none. */
export function readConfigChanges(
  before: Readonly<Record<string, string>>,
  reader: ByteReader,
): Readonly<Record<string, string>> {
  const count = reader.varint();
  if (count === 0) return before;
  const configs = new Map(Object.entries(before));
  for (let left = count; left > 0; left--) {
    const name = reader.text();
    if (reader.u8() === 0) configs.delete(name);
    else configs.set(name, reader.text());
  }
  // Sorted, so that equal configs have equal bytes, whatever their history.
  return Object.fromEntries([...configs].sort(([a], [b]) => (a < b ? -1 : 1)));
}
