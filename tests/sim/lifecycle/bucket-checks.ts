import { fileIdBucket } from '@weir/core';
import { clusterPrefix, type ObjectInfo, type ObjectStore } from '@weir/storage';
import { bucketObject } from '../../../packages/jobs/src/bucket-object.ts';
import { ClusterMachine } from '../../../packages/machine/src/machine.ts';
import type { LifeWorld } from './life-world.ts';
import { LogProblem } from './log-problem.ts';
import {
  clusterId,
  dayMs,
  graceMs,
  hourMs,
  leaderSkewMsMax,
  lifeLimits,
  mergeLimits,
  orphanAgeMs,
  scanIntervalMs,
} from './setting.ts';

/** What jobs may take longer while agents die, leaders change and calls fail: a job that failed waits for hours. */
const troubleMs = 2 * dayMs;
/** The same without trouble. */
const calmMs = 6 * hourMs;

/** As the state has it: a planted bug may change the method of a machine. */
const { deadFiles } = ClusterMachine.prototype;

const everyDead = { deadBeforeMs: Number.POSITIVE_INFINITY, limit: Number.MAX_SAFE_INTEGER };

interface StoredFile extends ObjectInfo {
  readonly fileId: string;
}

async function storedFiles(buckets: readonly ObjectStore[]): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const [number, bucket] of buckets.entries()) {
    for await (const page of bucket.list(clusterPrefix(clusterId))) {
      for (const info of page) {
        const object = bucketObject(clusterId, info.key);
        if (object.kind !== 'file') continue;
        if (fileIdBucket(object.fileId) !== number)
          throw new LogProblem(`${object.fileId} lies in bucket ${number}`);
        files.push({ ...info, fileId: object.fileId });
      }
    }
  }
  return files;
}

/** A bucket whose deletions are held to the list of dead files, at the moment at which they happen. */
export function watchedBucket(
  bucket: ObjectStore,
  leader: () => ClusterMachine | undefined,
  nowMs: () => number,
  onProblem: (error: Error) => void,
  onDeleted: (count: number) => void,
): ObjectStore {
  return {
    ...bucket,
    deleteMany: async (keys, options) => {
      const dead = new Map(
        leader()
          ?.deadFiles(everyDead)
          .map(({ fileId, deadMs }) => [fileId, deadMs]),
      );
      for (const key of keys) {
        const fileId = key.slice(-32);
        const deadMs = dead.get(fileId);
        // A file that is not dead any more was deleted and forgotten already; readers find out if it was not. So was
        // one that died again, when a commit of it was refused that came after its deletion.
        const isEarly = deadMs !== undefined && deadMs > nowMs() - graceMs + 2 * leaderSkewMsMax;
        if (isEarly && (await bucket.head(key)) !== undefined)
          onProblem(new LogProblem(`${fileId} is deleted ${nowMs() - deadMs} ms after it died`));
      }
      onDeleted(keys.length);
      return bucket.deleteMany(keys, options);
    },
  };
}

/** Nothing in the bucket has been an orphan, and no file has been dead, for longer than it may. */
export async function checkBucket(world: LifeWorld, extraMs = troubleMs): Promise<void> {
  const { controlPlane, buckets, clock } = world;
  if (!controlPlane.leads) return;
  const machine = controlPlane.machine!;
  const files = new Map((await storedFiles(buckets)).map((file) => [file.fileId, file]));
  const orphanFromMs = clock.nowMs() - orphanAgeMs - scanIntervalMs - graceMs - extraMs;
  for (const fileId of machine.unknownFiles([...files.keys()])) {
    const { modifiedMs } = files.get(fileId)!;
    if (modifiedMs < orphanFromMs)
      throw new LogProblem(`${fileId} is an orphan for ${hours(clock.nowMs() - modifiedMs)}`);
  }
  const [oldest] = deadFiles.call(machine, { ...everyDead, limit: 1 });
  if (oldest !== undefined && oldest.deadMs < clock.nowMs() - graceMs - extraMs)
    throw new LogProblem(
      `${oldest.fileId} is dead for ${hours(clock.nowMs() - oldest.deadMs)} and still there`,
    );
}

/**
 * What is stored after some quiet days. The bucket holds the files that metadata knows, and no others. At least half of
 * each merged file is alive, as the rule for rewriting wants. And what pointers cover is at most a tenth more than what
 * retention requires, apart from a pointer per partition that retention cannot cut, and markers.
 */
export async function checkEnd(world: LifeWorld): Promise<void> {
  const { controlPlane, buckets, topics } = world;
  if (!controlPlane.leads) throw new LogProblem('the cluster has no leader after a quiet time');
  await checkBucket(world, calmMs);
  const machine = controlPlane.machine!;
  // A dead file may be gone already: a scan that was paused declares files dead again that were deleted meanwhile.
  const dead = new Set(deadFiles.call(machine, everyDead).map(({ fileId }) => fileId));
  const stored = (await storedFiles(buckets)).filter(({ fileId }) => !dead.has(fileId));
  const { levels } = machine.fileStats();
  const storedBytes = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  const fileCount = levels.reduce((sum, { files }) => sum + files, 0);
  const fileBytes = levels.reduce((sum, { bytes }) => sum + bytes, 0);
  if (stored.length !== fileCount || storedBytes !== fileBytes)
    throw new LogProblem(
      `the bucket has ${stored.length} files of ${storedBytes} bytes, and metadata ${fileCount} of ${fileBytes}`,
    );
  const liveBytes = levels.reduce((sum, level) => sum + level.liveBytes, 0);
  const overheadBytes = fileCount * fileOverheadBytes;
  if (fileBytes > 2 * liveBytes + overheadBytes)
    throw new LogProblem(`files of ${fileBytes} bytes hold ${liveBytes} that are alive`);
  const partitions = topics.held().flatMap((topic) => topic.partitions);
  const requiredBytes = partitions.reduce((sum, partition) => sum + partition.requiredBytes, 0);
  const allowedBytes = 1.1 * requiredBytes + partitions.length * mergeLimits.pointerBytesMax;
  if (liveBytes > allowedBytes)
    throw new LogProblem(`pointers cover ${liveBytes} bytes where retention requires ${requiredBytes}`);
  checkCounts(world, machine, liveBytes, fileCount, partitions.length);
}

/** Header, index and footer of a small file. */
const fileOverheadBytes = 1_500;

/** Files and pointers are bounded by bytes, levels and partitions, whatever their number was. */
function checkCounts(
  world: LifeWorld,
  machine: ClusterMachine,
  liveBytes: number,
  fileCount: number,
  partitionCount: number,
): void {
  const { levels } = machine.fileStats();
  const { pointers } = machine.stats();
  const filesMax = levels.length * lifeLimits.compactionFanIn + (4 * liveBytes) / mergeLimits.fileBytesMax;
  if (fileCount > filesMax)
    throw new LogProblem(`${fileCount} files are left, and at most ${filesMax} should be`);
  const pointersMax = (4 * liveBytes) / mergeLimits.pointerBytesMax + 4 * fileCount + 8 * partitionCount;
  if (pointers > pointersMax)
    throw new LogProblem(`${pointers} pointers are left, and at most ${pointersMax} should be`);
  world.note(
    `${fileCount} files of at most ${filesMax}, ${pointers} pointers of at most ${pointersMax}, ${liveBytes} bytes`,
  );
}

function hours(ms: number): string {
  return `${(ms / hourMs).toFixed(1)} h`;
}
