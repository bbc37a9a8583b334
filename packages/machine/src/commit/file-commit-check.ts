import { type FileCommit, fileCommitColumns, type TransactionalBatches } from '@weir/cluster';
import { MalformedCommand } from '../command.ts';

const uint32Max = 2 ** 32 - 1;

/**
 * Throws for a malformed commit that no correct agent sends. It runs before any decision: a malformed row found halfway
 * would leave the rows before it applied but not journaled.
 */
export function checkFileCommit(file: FileCommit): void {
  const { fileId, fileBytes, topicIds } = file;
  if (!/^[0-9a-f]{32}$/.test(fileId))
    throw new MalformedCommand(`the file id ${fileId} is not 32 hex digits`);
  if (!Number.isInteger(fileBytes) || fileBytes < 0 || fileBytes > uint32Max) {
    throw new MalformedCommand(
      `file ${fileId}: its size is ${fileBytes}, which is not a number of bytes below 4 GiB`,
    );
  }
  const rows = file.topic.length;
  for (const column of fileCommitColumns) {
    if (file[column].length !== rows) {
      throw new MalformedCommand(
        `file ${fileId}: the column ${column} has ${file[column].length} rows and topic has ${rows}`,
      );
    }
  }
  const { transactions } = file;
  for (const column of transactionColumns) {
    if (transactions !== undefined && transactions[column].length !== rows) {
      throw new MalformedCommand(
        `file ${fileId}: the column ${column} has ${transactions[column].length} rows and topic has ${rows}`,
      );
    }
  }
  for (let row = 0; row < rows; row++) {
    const problem = rowProblem(file, row, topicIds.length);
    if (problem !== undefined) throw new MalformedCommand(`file ${fileId}, batch ${row}: ${problem}`);
  }
}

const transactionColumns = [
  'transaction',
  'addsPartition',
] as const satisfies readonly (keyof TransactionalBatches)[];

function rowProblem(file: FileCommit, row: number, topicCount: number): string | undefined {
  if (file.topic[row]! >= topicCount) return `it points to topic ${file.topic[row]} of ${topicCount}`;
  if (file.recordCount[row] === 0) return 'it has no records';
  if (file.byteLength[row] === 0) return 'it has no bytes';
  const byteEnd = file.byteStart[row]! + file.byteLength[row]!;
  if (byteEnd > file.fileBytes) return `it ends at ${byteEnd}, behind the file's ${file.fileBytes} bytes`;
  if (!Number.isSafeInteger(file.maxTimestampMs[row])) {
    return `its timestamp is ${file.maxTimestampMs[row]}, which is not a whole number up to 2^53`;
  }
  const producerId = file.producerId[row]!;
  if (!Number.isSafeInteger(producerId) || producerId < -1) return `its producer id is ${producerId}`;
  const { transactions } = file;
  if (transactions === undefined) return undefined;
  const transaction = transactions.transaction[row]!;
  if (transaction < -1 || transaction >= transactions.transactionalIds.length) {
    return `it points to transactional id ${transaction} of ${transactions.transactionalIds.length}`;
  }
  return undefined;
}
