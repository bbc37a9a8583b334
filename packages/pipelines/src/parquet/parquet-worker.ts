import { parentPort } from 'node:worker_threads';
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { pipelineLimits } from '../limits.ts';
import type { ThreadAnswer } from '../scripts/bounded-thread.ts';
import { checkFooter, checkPages, checkSchema } from './check-file.ts';
import { readRows } from './read-rows.ts';

export interface ParquetRequest {
  readonly content: Uint8Array;
  readonly wrapsLists: boolean;
}

export interface ParquetAnswer extends ThreadAnswer {
  /** Documents of JSON. */
  readonly rows?: readonly string[];
}

/** A thread that reads files of Parquet: what is in their pages may take any time and memory. */
parentPort!.on('message', async ({ id, ...request }: ParquetRequest & { readonly id: number }) => {
  let answer: ParquetAnswer;
  try {
    answer = { id, rows: await rowsOf(request) };
  } catch (error) {
    const { message } = error as Error;
    // Errors of the library are about its own parts.
    answer = {
      id,
      problem: /Parquet/.test(message) ? message : `failed to read the Parquet file: ${message}`,
    };
  }
  parentPort!.postMessage(answer);
});

async function rowsOf({ content, wrapsLists }: ParquetRequest): Promise<string[]> {
  const bytes = Buffer.from(content);
  checkFooter(bytes);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const metadata = parquetMetadata(buffer, { geoparquet: false });
  checkSchema(parquetSchema(metadata));
  if (metadata.num_rows > pipelineLimits.expandedMessagesMax)
    throw new Error(`the Parquet file has more than ${pipelineLimits.expandedMessagesMax} rows`);
  checkPages(Buffer.from(buffer), metadata);
  const rowEnd = Number(metadata.num_rows);
  const rows = await readRows({ file: buffer, metadata, rowStart: 0, rowEnd, wrapsLists });
  const bytesOfRows = rows.reduce((count, row) => count + row.length, 0);
  if (bytesOfRows > pipelineLimits.expandedBytesMax)
    throw new Error(`the Parquet file has more than ${pipelineLimits.expandedBytesMax} bytes in it`);
  return rows;
}
