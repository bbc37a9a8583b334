import {
  LogFileError,
  logFileKey,
  ObjectNotFound,
  type ObjectStore,
  readLogFile,
  scrubLogFile,
} from '@weir/storage';
import type { FileToCheck } from './files-to-check.ts';
import { checkByFooter, PointerWalk } from './pointer-checks.ts';

export interface CheckedFile {
  readonly file: FileToCheck;
  /** 0 if the file was not read. */
  readonly bytes: number;
  readonly problems: readonly FileProblem[];
  readonly isGone: boolean;
}

interface FileProblem {
  /** `damaged`: its own checksums and lengths. `mismatched`: what metadata says of it. */
  readonly kind: 'damaged' | 'mismatched';
  readonly problem: string;
}

/** Verifies one file: by itself, and by what metadata says of it. Without checksums, its records are not read. */
export async function checkFile(
  store: ObjectStore,
  file: FileToCheck,
  withChecksums: boolean,
): Promise<CheckedFile> {
  const { key, fileId, referenced } = file;
  const result = (bytes: number, problems: readonly FileProblem[], isGone = false): CheckedFile => {
    return { file, bytes, problems, isGone };
  };
  const { pointers = [], fileBytes: expectedBytes } = referenced ?? {};
  try {
    const { fileBytes, problems } = withChecksums
      ? await readInFull(store, key, fileId, pointers)
      : await readFooter(store, key, pointers);
    const all = problems.map((problem): FileProblem => ({ kind: 'mismatched', problem }));
    if (expectedBytes !== undefined && expectedBytes !== fileBytes)
      all.unshift({ kind: 'mismatched', problem: wrongSize(fileBytes, expectedBytes) });
    return result(fileBytes, all);
  } catch (error) {
    if (error instanceof ObjectNotFound) return result(0, [], true);
    if (!(error instanceof LogFileError)) throw error;
    const listedBytes = file.listed?.bytes;
    const isCut = expectedBytes !== undefined && listedBytes !== undefined && listedBytes !== expectedBytes;
    const size = isCut ? `; ${wrongSize(listedBytes, expectedBytes)}` : '';
    return result(0, [{ kind: 'damaged', problem: `${error.message}${size}` }]);
  }
}

function wrongSize(fileBytes: number, expectedBytes: number): string {
  return `it has ${fileBytes} bytes, and metadata says ${expectedBytes}`;
}

type Pointers = NonNullable<FileToCheck['referenced']>['pointers'];

async function readInFull(store: ObjectStore, key: string, fileId: string, pointers: Pointers) {
  const walk = new PointerWalk(fileId, pointers);
  const onBatch = (byteStart: number, bytes: Buffer) => walk.onBatch(byteStart, bytes);
  const { fileBytes } = await scrubLogFile(store, key, { onBatch });
  walk.finish();
  return { fileBytes, problems: walk.problems };
}

async function readFooter(store: ObjectStore, key: string, pointers: Pointers) {
  const file = await readLogFile(store, key);
  const expected = logFileKey(file.clusterId, file.fileId);
  if (expected !== key) throw new LogFileError('header', `it is the file ${expected}`);
  return { fileBytes: file.fileBytes, problems: await checkByFooter(store, key, file, pointers) };
}
