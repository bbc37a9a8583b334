import { inflateRawSync } from 'node:zlib';
import { decompressors, type Value } from '@weir/bloblang';
import type { AvroSchema, PayloadCodec } from '@weir/registry/decoding';
import { componentOf } from '../component/component-spec.ts';
import { bool } from '../component/field-types.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

const magic = Buffer.from('Obj\x01', 'latin1');
const syncBytes = 16;
/** Entries of the header, which have the schema and the codec. */
const metadataEntriesMax = 1_000;
const { scannedMessageBytesMax: blockBytesMax } = pipelineLimits;

/** Reads from chunks as from one sequence of bytes. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#rest = value;
    }
    return false;
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      if (await this.isAtEnd()) throw new Error('unexpected end of the Avro file');
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** A number in zigzag; those of files are small. */
  async long(): Promise<number> {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = (await this.take(1))[0]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((value >> 1n) ^ -(value & 1n));
    }
    throw new Error('the Avro file has a number that is too long');
  }

  async block(): Promise<Buffer> {
    const count = await this.long();
    if (count < 0 || count > blockBytesMax)
      throw new Error(`the Avro file has a block of more than ${blockBytesMax} bytes`);
    return this.take(count);
  }
}

async function readMetadata(bytes: Bytes): Promise<Map<string, Buffer>> {
  const metadata = new Map<string, Buffer>();
  for (;;) {
    let count = await bytes.long();
    if (count === 0) return metadata;
    if (count < 0) {
      count = -count;
      await bytes.long();
    }
    for (; count > 0; count--) {
      if (metadata.size >= metadataEntriesMax)
        throw new Error(`the header of the Avro file has more than ${metadataEntriesMax} entries`);
      metadata.set((await bytes.block()).toString(), await bytes.block());
    }
  }
}

type Decompress = (block: Buffer) => Buffer;

const codecs: Readonly<Record<string, Decompress>> = {
  null: (block) => block,
  deflate: (block) => inflateRawSync(block, { maxOutputLength: blockBytesMax }),
  // The last four bytes are a checksum.
  snappy: (block) => decompressors.snappy!(block.subarray(0, -4), blockBytesMax),
  bzip2: (block) => decompressors.bzip2!(block, blockBytesMax),
  zstandard: (block) => decompressors.zstd!(block, blockBytesMax),
};

interface OpenedFile {
  /** The values of a block. */
  valuesOf(payload: Buffer, isPlain: boolean): readonly Value[];
  readonly decompress: Decompress;
  readonly sync: Buffer;
}

async function openFile(bytes: Bytes): Promise<OpenedFile> {
  if (!(await bytes.take(magic.length)).equals(magic)) throw new Error('this is no Avro file');
  const metadata = await readMetadata(bytes);
  const name = metadata.get('avro.codec')?.toString() ?? 'null';
  const decompress = Object.hasOwn(codecs, name) ? codecs[name] : undefined;
  if (decompress === undefined) throw new Error(`the Avro file is compressed by ${name.slice(0, 50)}`);
  const { loadFormat, plainOfAvro } = await import('@weir/registry/decoding');
  const format = await loadFormat('AVRO');
  // The values of a block follow each other, as the items of an array do.
  const text = `{"type":"array","items":${metadata.get('avro.schema')?.toString() ?? 'null'}}`;
  const schema = format.parse({ text, references: [] }, { isStored: true }) as AvroSchema;
  const codec: PayloadCodec = format.codec(schema);
  return {
    valuesOf: (payload, isPlain) => plainOfAvro(schema.root, codec.decode(payload), { isPlain }) as Value[],
    decompress,
    sync: await bytes.take(syncBytes),
  };
}

/** The payload of an array with one block. */
function arrayOf(count: number, values: Buffer): Buffer {
  const head: number[] = [];
  let left = BigInt(count) << 1n;
  for (; left > 0x7fn; left >>= 7n) head.push(Number(left & 0x7fn) | 0x80);
  head.push(Number(left));
  return Buffer.concat([Buffer.from(head), values, Buffer.from([0])]);
}

export const avro = componentOf('scanner', {
  name: 'avro',
  about: 'Makes a message of each value of an Avro file (an object container file).',
  fields: {
    raw_json: bool('Whether values of unions are plain JSON, without the names of their branches.')
      .or(false)
      .advanced(),
  },
  open: ({ raw_json: isPlain }) => ({
    async *scan(source) {
      const bytes = new Bytes(source);
      const { valuesOf, decompress, sync } = await openFile(bytes);
      while (!(await bytes.isAtEnd())) {
        const count = await bytes.long();
        const block = await bytes.block();
        if (!(await bytes.take(syncBytes)).equals(sync))
          throw new Error('the Avro file has a block without its marker');
        if (count <= 0) continue;
        for (const value of valuesOf(arrayOf(count, decompress(block)), isPlain)) {
          // A text is JSON too, in quotes.
          yield [typeof value === 'string' ? Message.of(JSON.stringify(value)) : new Message({ value })];
        }
      }
    },
  }),
});
