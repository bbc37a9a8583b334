/**
 * Avro's object container files: magic, metadata, a sync marker, then blocks of records with the marker after each.
 * Blocks are compressed with `deflate`, which every reader has to have.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Random } from '@weir/core';
import { icebergLimits } from '../limits.ts';
import { InvalidTable } from '../table-errors.ts';
import { AvroReader } from './avro-reader.ts';
import { type AvroRecord, type AvroType, type AvroValue, parseAvroType } from './avro-type.ts';
import { AvroWriter } from './avro-writer.ts';

const magic = Buffer.from('Obj\x01', 'latin1');
const syncBytes = 16;
const metadataType: AvroType = { kind: 'map', value: { kind: 'bytes' } };

interface ContainerOptions {
  /** The Avro schema as text, with the ids of fields. */
  readonly schema: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** For the sync marker. */
  readonly random: Random;
}

export function writeContainer(
  records: Iterable<AvroRecord>,
  { schema, metadata, random }: ContainerOptions,
): Buffer {
  const type = parseAvroType(schema, 'schema');
  const sync = Buffer.from(Array.from({ length: syncBytes }, () => random.below(256)));
  const file = new AvroWriter();
  file.raw(magic);
  const entries = { ...metadata, 'avro.schema': schema, 'avro.codec': 'deflate' };
  file.value(metadataType, {
    entries: new Map(
      Object.entries(entries).map(([key, text]): [string, AvroValue] => [key, Buffer.from(text)]),
    ),
  });
  file.raw(sync);
  const block = new AvroWriter();
  let count = 0;
  const endBlock = () => {
    file.long(BigInt(count));
    file.bytes(deflateRawSync(block.take()));
    file.raw(sync);
    count = 0;
  };
  for (const record of records) {
    block.value(type, record);
    count++;
    if (count >= icebergLimits.manifestBlockEntries || block.length >= icebergLimits.manifestBlockBytes)
      endBlock();
  }
  if (count > 0) endBlock();
  return file.take();
}

export interface Container {
  readonly metadata: ReadonlyMap<string, string>;
  readonly records: readonly AvroRecord[];
}

export function readContainer(bytes: Buffer, name: string): Container {
  const damaged = (problem: string) => new InvalidTable(`${name}: damaged Avro file: ${problem}`);
  const file = new AvroReader(bytes, name);
  if (bytes.length < magic.length || !file.raw(magic.length).equals(magic))
    throw damaged('it does not begin with the bytes of an Avro file');
  const { entries } = file.value(metadataType) as { entries: ReadonlyMap<string, Uint8Array> };
  const metadata = new Map([...entries].map(([key, value]) => [key, Buffer.from(value).toString()]));
  const type = parseAvroType(metadata.get('avro.schema') ?? '', `${name}: avro.schema`);
  if (type.kind !== 'record') throw damaged('its schema is not a record');
  const codec = metadata.get('avro.codec') ?? 'null';
  const sync = file.raw(syncBytes);
  const records: AvroRecord[] = [];
  while (!file.isAtEnd) {
    const count = file.long();
    const stored = file.bytes();
    const block = new AvroReader(codec === 'null' ? stored : inflated(stored), name);
    block.checkCount(count);
    for (let left = Number(count); left > 0; left--) records.push(block.record(type));
    if (!block.isAtEnd) throw damaged('a block has more bytes than its records');
    if (!file.raw(syncBytes).equals(sync)) throw damaged('the marker after a block is missing');
  }
  return { metadata, records };

  function inflated(stored: Buffer): Buffer {
    if (codec !== 'deflate')
      throw new InvalidTable(`${name}: the codec ${codec} is not supported; use deflate or null`);
    try {
      return inflateRawSync(stored, { maxOutputLength: icebergLimits.manifestBlockBytesMax });
    } catch (error) {
      throw new InvalidTable(`${name}: damaged Avro file: a block cannot be inflated`, { cause: error });
    }
  }
}
