import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/**
 * Reads a range to store it in another bucket. A server that sends less than there is would otherwise make a copy that
 * is cut off, and that looks as good as the object.
 */
export async function wholeRange(
  store: ObjectStore,
  key: string,
  start: number,
  end: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const bytes = await store.getRange(key, start, end, { signal });
  if (bytes.length === end - start) return bytes;
  const problem = `a bucket sent ${bytes.length} bytes of ${end - start}`;
  throw new StoreError('unavailable', key, problem);
}
