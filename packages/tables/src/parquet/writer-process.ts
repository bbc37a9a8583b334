/** The process that writes Parquet files with DuckDB; `DuckDbWriter` is its owner. */
import { constants, setPriority } from 'node:os';
import type { DuckDBConnection } from '@duckdb/node-api';
import { formatBytes } from '@weir/core';
import { DuckDbFile } from './duckdb-file.ts';
import { openDuckDb } from './open-duckdb.ts';
import { InvalidRow } from './writer-errors.ts';
import type { ProcessOptions, WriterAnswer, WriterRequest } from './writer-messages.ts';

let options: ProcessOptions;
let connection: DuckDBConnection;
const files = new Map<number, DuckDbFile>();
let last: Promise<void> = Promise.resolve();

// Clients of the agent come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.on('message', (request: WriterRequest) => {
  last = last.then(async () => {
    const answer = await answerTo(request);
    if (process.connected) process.send!(answer, () => {});
  });
});
// Without its agent it has nothing to do.
process.on('disconnect', () => process.exit());

async function answerTo(request: WriterRequest): Promise<WriterAnswer> {
  try {
    return { kind: 'done', written: await handle(request) };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof InvalidRow) return { kind: 'failed', error: 'InvalidRow', message };
    if (/Out of Memory Error|max_temp_directory_size/.test(message))
      return { kind: 'failed', error: 'ParquetMemoryExceeded', message: memoryMessage() };
    // DuckDB refuses everything after such an error; a new process does not.
    if (/^(?:INTERNAL|FATAL) Error/.test(message)) throw error;
    return {
      kind: 'failed',
      error: 'ParquetWriteFailed',
      message: `failed to write a Parquet file: ${message.split('\n')[0]!.slice(0, 500)}`,
    };
  }
}

async function handle(request: WriterRequest) {
  switch (request.kind) {
    case 'start':
      return await start(request.options);
    case 'open':
      files.set(
        request.file,
        await DuckDbFile.open(connection, request.file, request.columns, options.memoryBytesMax),
      );
      return undefined;
    case 'append':
      files.get(request.file)!.append(request.batch);
      return undefined;
    case 'finish': {
      const written = await files.get(request.file)!.finish(request.path);
      files.delete(request.file);
      return written;
    }
    case 'abandon': {
      const file = files.get(request.file);
      files.delete(request.file);
      await file?.abandon();
      return undefined;
    }
  }
}

async function start(given: ProcessOptions): Promise<undefined> {
  options = given;
  const instance = await openDuckDb(given);
  connection = await instance.connect();
}

function memoryMessage(): string {
  const { memoryBytesMax, spillBytesMax } = options;
  const disk = spillBytesMax === 0 ? '' : ` and ${formatBytes(spillBytesMax)} of disk`;
  return `the rows of the open Parquet files need more than ${formatBytes(memoryBytesMax)} of memory${disk}; write smaller files, or allow the writer more`;
}
