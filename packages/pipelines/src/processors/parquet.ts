import { brotliCompressSync, gzipSync } from 'node:zlib';
import { compressors } from '@weir/bloblang';
import type { Encoding } from 'hyparquet';
import { componentOf } from '../component/component-spec.ts';
import { failedBy } from '../component/failures.ts';
import { bool, oneOf } from '../component/field-types.ts';
import type { Message } from '../component/message.ts';
import { compressLz4Block } from '../parquet/lz4-block.ts';
import { columns, elementsOf, rowOf } from '../parquet/parquet-schema.ts';
import type { ParquetAnswer, ParquetRequest } from '../parquet/parquet-worker.ts';
import { BoundedThread } from '../scripts/bounded-thread.ts';

const parquetDecode = componentOf('processor', {
  name: 'parquet_decode',
  about:
    'Makes a message of each row of a Parquet file. Times are texts, and numbers that JSON has not are null.',
  fields: {
    byte_array_as_string: bool('Whether bytes are texts.').or(false).withoutEffect('bytes always are texts'),
    use_parquet_list_format: bool(
      'Whether a list is `{"list":[{"element":1}]}`, as Parquet stores it, and not `[1]`.',
    )
      .or(true)
      .advanced(),
  },
  open({ use_parquet_list_format: wrapsLists }, context) {
    const file = new URL(import.meta.resolve('../parquet/parquet-worker.ts'));
    const thread = new BoundedThread<ParquetAnswer>({ file, clock: context.clock, work: 'the file' });
    let last: Promise<unknown> = Promise.resolve();

    async function rowsOf(message: Message, stop: AbortSignal): Promise<Message[]> {
      const request: ParquetRequest = { content: message.content, wrapsLists };
      const { rows = [] } = await thread.ask(request, stop);
      return rows.map((row) => message.withContent(Buffer.from(row)));
    }

    async function decoded(batch: readonly Message[], stop: AbortSignal) {
      const made: Message[] = [];
      for (const message of batch) {
        try {
          for (const row of await rowsOf(message, stop)) made.push(row);
        } catch (error) {
          if (stop.aborted) throw error;
          made.push(failedBy(message, error, context, 'parquet_decode'));
        }
      }
      return made.length === 0 ? [] : [made];
    }

    return {
      // There is one thread, and several batches may be at work.
      process(batch, stop) {
        const done = last.then(() => decoded(batch, stop));
        last = done.catch(() => undefined);
        return done;
      },
      async close() {
        await last;
        await thread.close();
      },
    };
  },
});

const codecs = {
  uncompressed: 'UNCOMPRESSED',
  snappy: 'SNAPPY',
  gzip: 'GZIP',
  brotli: 'BROTLI',
  zstd: 'ZSTD',
  lz4raw: 'LZ4_RAW',
} as const;

const pageCompressors = {
  SNAPPY: (input: Uint8Array) => compressors.snappy!(Buffer.from(input), -1),
  GZIP: (input: Uint8Array) => gzipSync(input),
  BROTLI: (input: Uint8Array) => brotliCompressSync(input),
  ZSTD: (input: Uint8Array) => compressors.zstd!(Buffer.from(input), -1),
  LZ4_RAW: compressLz4Block,
};

/** How the values of a column are encoded; the writer makes a dictionary where it helps if nothing is said. */
function encodingOf(encoding: string, type: string | undefined): { readonly encoding?: Encoding } {
  if (encoding === 'RLE_DICTIONARY') return {};
  const isBytes = type === 'UTF8' || type === 'BYTE_ARRAY';
  return { encoding: isBytes && encoding !== 'PLAIN' ? 'DELTA_LENGTH_BYTE_ARRAY' : 'PLAIN' };
}

const parquetEncode = componentOf('processor', {
  name: 'parquet_encode',
  about: 'Makes one message of a batch: a Parquet file with a row of each message.',
  fields: {
    schema: columns('The columns.'),
    default_compression: oneOf('How pages are compressed.', [
      'uncompressed',
      'snappy',
      'gzip',
      'brotli',
      'zstd',
      'lz4raw',
    ]).or('uncompressed'),
    default_encoding: oneOf('How values are encoded.', ['DELTA_LENGTH_BYTE_ARRAY', 'PLAIN', 'RLE_DICTIONARY'])
      .or('DELTA_LENGTH_BYTE_ARRAY')
      .advanced(),
  },
  async open({ schema, default_compression: compression, default_encoding: encoding }) {
    const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
    const elements = elementsOf(schema);
    return {
      // What fails, fails for the whole batch: a file without some of its rows would look complete.
      process(batch) {
        const rows = batch.map((message) => rowOf(schema, message.document()));
        const writer = new ByteWriter();
        const file = new ParquetWriter({
          writer,
          schema: elements,
          codec: codecs[compression],
          compressors: pageCompressors,
          createdBy: 'weir',
        });
        file.write({
          columnData: schema.map(({ name, type }) => ({
            name,
            data: rows.map((row) => row[name]),
            ...encodingOf(encoding, type),
          })),
          rowGroupSize: rows.length,
        });
        file.finish();
        return [[batch[0]!.withContent(Buffer.from(writer.getBytes()))]];
      },
    };
  },
});

export const parquetProcessors = [parquetDecode, parquetEncode];
