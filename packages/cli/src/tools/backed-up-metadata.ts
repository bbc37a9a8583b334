import type { BackedUpMetadata } from '@weir/controlplane/backup';
import { Failure } from '@weir/core';

/** Reads the metadata backup in a bucket, if there is one. Its code is loaded only by tools that use it. */
export async function readBackedUpMetadata(
  place: Parameters<typeof BackedUpMetadata.read>[0],
): Promise<BackedUpMetadata | undefined> {
  const backup = await import('@weir/controlplane/backup');
  return await orProblem(backup.BackedUpMetadata.read(place));
}

/** A backup that cannot be read is no bug of the command. */
export async function orProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { RestoreProblem } = await import('@weir/controlplane/backup');
    if (error instanceof RestoreProblem) throw new Failure(error.message, { cause: error });
    throw error;
  }
}
