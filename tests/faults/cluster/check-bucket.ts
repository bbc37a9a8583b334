import { fileIdLevel, fileIdTimeMs } from '@weir/core';
import { isFileId } from '@weir/storage';
import type { FaultCluster } from './cluster.ts';

const hourMs = 3_600_000;
/** Looks between two jumps of the clocks: some seconds, in which jobs are planned and run. */
const looksPerJump = 300;

/**
 * Lets so much time pass that every file has an end or is merged, and fails unless those before are deleted and
 * metadata know every file of the bucket. Whether the bucket has every file that metadata refer to is seen by reading
 * everything.
 */
export async function checkBucket(cluster: FaultCluster, withinMs: number): Promise<void> {
  const { objects } = cluster.bucket;
  const files = () => objects.keys().flatMap((key) => (isFileId(key.slice(-32)) ? [key.slice(-32)] : []));
  const port = cluster.connect();
  let left: readonly string[] = [];
  let unknown: readonly string[] = [];
  let looks = 0;
  const isDone = async () => {
    // Orphans are left alone for six hours.
    if (looks++ % looksPerJump === 0) cluster.passTime(7 * hourMs);
    left = files();
    unknown = await port.unknownFiles(left);
    const isSmall = (fileId: string) => fileIdLevel(fileId) === 0;
    const oldCount = left.filter((id) => isSmall(id) && fileIdTimeMs(id) < cluster.nowMs - hourMs).length;
    return unknown.length === 0 && oldCount === 0 && objects.deletedCount > 0 && !left.every(isSmall);
  };
  try {
    await cluster.until(isDone, withinMs, 'files are merged, and those before are deleted');
  } catch (error) {
    throw new Error(
      `${(error as Error).message}: ${left.length} files, ${unknown.length} unknown, ${objects.deletedCount} deleted`,
      { cause: error },
    );
  } finally {
    port.close();
  }
}
