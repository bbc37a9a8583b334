/** The kind of job that deletes dead files from the bucket. */
export const fileDeletionKind = 'file_deletion';

const idBytes = 16;

/** The files of a deletion job: 16 bytes each. */
export function writeDeletionTask(fileIds: readonly string[]): Uint8Array {
  return Buffer.from(fileIds.join(''), 'hex');
}

export function readDeletionTask(task: Uint8Array): string[] {
  if (task.length % idBytes !== 0) throw new RangeError(`${task.length} bytes are not a list of file ids`);
  const hex = Buffer.from(task.buffer, task.byteOffset, task.byteLength).toString('hex');
  return Array.from({ length: task.length / idBytes }, (_, index) =>
    hex.slice(index * 2 * idBytes, (index + 1) * 2 * idBytes),
  );
}
