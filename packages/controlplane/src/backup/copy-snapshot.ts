import type { OpenSnapshot } from '@weir/journal';
import { type ObjectStore, UploadWriter } from '@weir/storage';
import { storageLimits } from '@weir/storage/limits';

/**
 * Copies a snapshot into the bucket. A large one goes in parts, so that memory is bounded by two of them whatever the
 * size of the cluster. Readers see nothing of it before it is whole. `onPart` is called between parts and returns
 * whether to go on. Returns whether the snapshot was copied.
 */
export async function copySnapshot(
  store: ObjectStore,
  key: string,
  { byteCount, slices }: Pick<OpenSnapshot, 'byteCount' | 'slices'>,
  onPart: () => Promise<boolean>,
): Promise<boolean> {
  if (byteCount <= storageLimits.uploadPartBytes) {
    await store.put(key, await Array.fromAsync(slices));
    return true;
  }
  const writer = new UploadWriter(await store.beginUpload(key), { partsInFlightMax: 1 });
  try {
    for await (const slice of slices) {
      const isStored = writer.write(slice);
      if (isStored === undefined) continue;
      await isStored;
      if (await onPart()) continue;
      await writer.abort();
      return false;
    }
    await writer.finish();
    return true;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
