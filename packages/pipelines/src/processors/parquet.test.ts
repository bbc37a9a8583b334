import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openProcessor, problemsOfProcessor, processed, shown } from '../../testing/open-processor.ts';
import { runPipeline } from '../../testing/run-pipeline.ts';
import type { Processor } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { compressLz4Block, decompressLz4Block } from '../parquet/lz4-block.ts';

const schema = [
  { name: 'id', type: 'INT64' },
  { name: 'f', type: 'FLOAT' },
  { name: 'b', type: 'BOOLEAN' },
  { name: 'i8', type: 'INT8' },
  { name: 'c', type: 'BYTE_ARRAY' },
  { name: 'u', type: 'UTF8', optional: true },
  { name: 'r', type: 'INT32', repeated: true },
  {
    name: 'm',
    type: 'MAP',
    fields: [
      { name: 'key', type: 'UTF8' },
      { name: 'value', type: 'INT64' },
    ],
  },
  { name: 'l', type: 'LIST', optional: true, fields: [{ name: 'element', type: 'UTF8' }] },
  {
    name: 's',
    type: 'STRUCT',
    optional: true,
    fields: [
      { name: 'x', type: 'DOUBLE' },
      { name: 'y', type: 'UTF8', optional: true },
    ],
  },
  { name: 'd', type: 'DECIMAL64', decimal_precision: 10, decimal_scale: 2 },
];
const full =
  '{"id":9007199254740993,"f":0.1,"b":true,"i8":-5,"c":"ab","u":"é","r":[1,2],"m":{"k":1},"l":["a","b"],"s":{"x":1.5,"y":null},"d":303}';
const fullRow = full.replace('"d":303', '"d":3.03');
const emptyRow = '{"id":0,"f":0,"b":false,"i8":0,"c":"","u":null,"r":[],"m":{},"l":null,"s":null,"d":0}';

const decoder = await openProcessor({ parquet_decode: { use_parquet_list_format: false } });
after(() => decoder.close?.());
const encoder = (more: object = {}) => openProcessor({ parquet_encode: { schema, ...more } });
const fileOf = async (processor: Processor, ...documents: readonly string[]) =>
  (
    await processed(
      processor,
      documents.map((document) => Message.of(document, new Map([['m', 'v']]))),
    )
  )[0]!;

test('rows come back, however they are compressed and encoded', async () => {
  const kinds = [
    ...['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4raw'].map((default_compression) => ({
      default_compression,
    })),
    ...['PLAIN', 'RLE_DICTIONARY'].map((default_encoding) => ({ default_encoding })),
  ];
  for (const kind of kinds) {
    const file = await fileOf(await encoder(kind), full, '{}', '{"extra":1,"u":null,"r":[],"m":{}}');
    const rows = await processed(decoder, [file]);
    assert.deepEqual(rows.map(shown), [fullRow, emptyRow, emptyRow], JSON.stringify(kind));
    assert.deepEqual([...rows[1]!.metadata], [['m', 'v']]);
  }
});

test('lists as Parquet stores them', async () => {
  const wrapping = await openProcessor({ parquet_decode: {} });
  const [row] = await processed(wrapping, [await fileOf(await encoder(), '{"l":["a"],"s":{}}')]);
  assert.match(shown(row!), /"l":\{"list":\[\{"element":"a"\}\]\},"s":\{"x":0,"y":null\}/);
  await wrapping.close?.();
});

test('a file that Bento made', async () => {
  const made =
    'UEFSMRUGFSAVMhXhx8bWBUwVBBUAFQQVABUAFQARHBgIAgAAAAAAAAAYCAEAAAAAAAAAFgAoCAIAAAAAAAAAGAgBAAAAAAAAAAAAACi1L/0AAIEAAAEAAAAAAAAAAgAAAAAAAAAVBhU0FUYVn5Pe3gRMFQYVAhUEFQwVCBUMERwYAWIYAWEWAigBYhgBYQAAAAIAAgECAAQBAgAotS/9AACBAACAAQQCAgEBAAAAAQAAAGFiFQYVGBUqFZfblK0HTBUEFQIVBBUMFQgVBBEcGAFrGAFrFgIoAWsYAWsAAAAEAAIBAgAotS/9AAAxAACAAQQBAmsVBhUcFS4V7JidkghMFQQVAhUEFQAVCBUEERwYCAEAAAAAAAAAGAgBAAAAAAAAABYCKAgBAAAAAAAAABgIAQAAAAAAAAAAAAAEAAIBAgAotS/9AABBAAABAAAAAAAAABUGFRQVJhWV/c75BkwVBBUCFQQVDBUIFQARHBgBeBgBeBYCKAF4GAF4AAAAAgECACi1L/0AADEAAIABBAECeBUGFTQVRhWMi/DND0wVBhUCFQQVABUIFQwRHBgIAgAAAAAAAAAYCAEAAAAAAAAAFgIoCAIAAAAAAAAAGAgBAAAAAAAAAAAAAAIAAgECAAQBAgAotS/9AACBAAABAAAAAAAAAAIAAAAAAAAAGRIAGRgIAQAAAAAAAAAZGAgCAAAAAAAAABUAGRYAABkSABkYAWEZGAFiFQAZFgIZJgQCGSYCBAAZEgAZGAFrGRgBaxUAGRYCGSYEABkmAgIAGRIAGRgIAQAAAAAAAAAZGAgBAAAAAAAAABUAGRYCGSYEABkmAgIAGRIAGRgBeBkYAXgVABkWAikmAgIAGRIAGRgIAQAAAAAAAAAZGAgCAAAAAAAAABUAGRYCGSYEAhkmAgQAGRwWCBXCARYAAAAZHBbKARWeARYAAAAZHBboAhWCARYAAAAZHBbqAxW+ARYAAAAZHBaoBRV+FgAAABkcFqYGFdYBFgAAABUEGbxIABUKABUEFYABFQAYAmlkJSRMrBNAEQAAADUAGAFsFQIVBkw8AAAANQQYBGxpc3QVAgAVDCUAGAdlbGVtZW50JQBMHAAAADUAGAFtFQIVAkwsAAAANQQYCWtleV92YWx1ZRUEABUMJQAYA2tleSUATBwAAAAVBBWAARUAGAV2YWx1ZSUkTKwTQBEAAAAVDCUCGAFvJQBMHAAAABUEFYABFQQYAXIlJEysE0ARAAAAFgQZHBlsJgAcFQQZFQAZGAJpZBUMFgQWsAEWwgEmCDw2ACgIAgAAAAAAAAAYCAEAAAAAAAAAABkcFQYVABUCAAAW5AoVFhb8BxU+ACYAHBUMGSUGDBk4AWwEbGlzdAdlbGVtZW50FQwWBhaMARaeASbKATw2AigBYhgBYQAZHBUGFQwVAgA8FgQZJgQCGSYCBAAAFvoKFRgWuggVMgAmABwVDBklBgwZOAFtCWtleV92YWx1ZQNrZXkVDBYEFnAWggEm6AI8NgIoAWsYAWsAGRwVBhUMFQIAPBYCGSYEABkmAgIAABaSCxUYFuwIFTIAJgAcFQQZJQAGGTgBbQlrZXlfdmFsdWUFdmFsdWUVDBYEFqwBFr4BJuoDPDYCKAgBAAAAAAAAABgIAQAAAAAAAAAAGRwVBhUAFQIAPCkmBAAZJgICAAAWqgsVGBaeCRVOACYAHBUMGSUGDBkYAW8VDBYEFmwWfiaoBTw2AigBeBgBeAAZHBUGFQwVAgA8FgIpJgICAAAWwgsVFhbsCRUqACYAHBUEGSUABhkYAXIVDBYGFsQBFtYBJqYGPDYCKAgCAAAAAAAAABgIAQAAAAAAAAAAGRwVBhUAFQIAPCkmBAIZJgIEAAAW2AsVGBaWChVOABaIBxYEGQwWCBb0BxQAABkMGDdnaXRodWIuY29tL3BhcnF1ZXQtZ28vcGFycXVldC1nbyB2ZXJzaW9uIDAuMjkuMChidWlsZCApGWwcAAAcAAAcAAAcAAAcAAAcAAAA8wIAAFBBUjE=';
  const rows = await processed(decoder, [Message.of(Buffer.from(made, 'base64'))]);
  assert.deepEqual(
    rows.map((row) => JSON.parse(shown(row)) as unknown),
    [
      { id: 1, l: ['a', 'b'], m: { k: 1 }, o: 'x', r: [1, 2] },
      { id: 2, l: [], m: {}, o: null, r: [] },
    ],
  );
});

test('a batch with a row that does not fit fails as a whole', async () => {
  // biome-ignore format: a table
  const cases: readonly [document: string, problem: RegExp][] = [
    ['{"id":"x"}',         /id: has to be a number/],
    ['{"id":1e30}',        /id: .* has more than 64 bits/],
    ['{"i8":300}',         /i8: 300 has more than 8 bits/],
    ['{"b":1}',            /b: has to be true or false/],
    ['{"c":5}',            /c: has to be a text/],
    ['{"l":"x"}',          /l: has to be a list/],
    ['{"m":{"k":"x"}}',    /m: has to be a number/],
    ['{"s":{"x":"1"}}',    /s: x: has to be a number/],
    ['[]',                 /a row of Parquet has to be an object/],
  ];
  const encode = await encoder();
  for (const [document, problem] of cases)
    await assert.rejects(fileOf(encode, '{}', document), problem, document);
});

test('files that are none, or that would take too much, fail', async () => {
  const { content } = await fileOf(await encoder({ default_compression: 'snappy' }), full, '{}');
  const hugeFooter = Buffer.from(content);
  hugeFooter.writeUInt32LE(0x7fffffff, hugeFooter.length - 8);
  const negative = Buffer.from(content);
  // The size of the first page, as a negative number.
  negative[7] = 0x01;
  // biome-ignore format: a table
  const cases: readonly [content: Buffer | string, problem: RegExp][] = [
    ['no parquet',                     /this is no Parquet file/],
    ['',                               /this is no Parquet file/],
    [hugeFooter,                       /footer of the Parquet file has more than 1048576 bytes/],
    [Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(100), Buffer.from([50, 0, 0, 0]), Buffer.from('PAR1')]), /Parquet file/],
    [negative,                         /Parquet file/],
  ];
  for (const [bytes, problem] of cases) {
    const [made] = await processed(decoder, [Message.of(bytes)]);
    assert.match(shown(made!), problem);
    assert.ok(made!.error !== undefined);
  }
  // Any damage is an error of the message, or other rows.
  for (let at = 0; at < content.length; at += 7) {
    const damaged = Buffer.from(content);
    damaged[at] = damaged[at]! ^ 0xff;
    await processed(decoder, [Message.of(damaged)]);
  }
  assert.equal((await processed(decoder, [Message.of(content)])).length, 2);
});

test('what is wrong with a schema', () => {
  const problems = (column: object) =>
    problemsOfProcessor({ parquet_encode: { schema: [{ name: 'a', ...column }] } });
  // biome-ignore format: a table
  const cases: readonly [column: object, problem: RegExp][] = [
    [{},                                                           /has to have a type or fields/],
    [{ type: 'INT7' },                                             /type has to be one of BOOLEAN, INT8/],
    [{ type: 'LIST' },                                             /of the type LIST has to have one field/],
    [{ type: 'MAP', fields: [{ name: 'key', type: 'UTF8' }] },     /of the type MAP has to have two fields/],
    [{ type: 'STRUCT', fields: [] },                               /has to have columns/],
    [{ fields: [{ name: 'b', tipe: 'UTF8' }] },                    /no field "tipe"; did you mean type/],
  ];
  for (const [column, problem] of cases)
    assert.match(problems(column)[0] ?? '', problem, JSON.stringify(column));
});

test('files are read row by row', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-parquet-'));
  const encode = await encoder();
  writeFileSync(
    join(folder, 'a.parquet'),
    (await fileOf(encode, '{"id":1}', '{"id":2}', '{"id":3}')).content,
  );
  writeFileSync(join(folder, 'b.parquet'), (await fileOf(encode, '{"id":4}')).content);
  const { batches } = await runPipeline(
    `input: {parquet: {paths: ["${folder}/*.parquet"], batch_count: 2}}\noutput: {collect: {}}\n`,
  );
  const ids = batches.map((batch) => batch.map(({ content }) => JSON.parse(content.toString()).id as number));
  assert.deepEqual(ids, [[1, 2], [3], [4]]);
  rmSync(folder, { recursive: true });
});

test('blocks of LZ4', () => {
  const texts = [
    '',
    'a',
    'abc'.repeat(1000),
    'x'.repeat(300),
    Array.from({ length: 2000 }, (_, at) => `${at * 7919}`).join(),
  ];
  for (const text of texts) {
    const packed = compressLz4Block(Buffer.from(text));
    assert.equal(Buffer.from(decompressLz4Block(packed, text.length)).toString(), text);
    assert.throws(() => decompressLz4Block(packed, text.length + 1), /no block of LZ4/);
  }
  assert.ok(compressLz4Block(Buffer.from('abc'.repeat(1000))).length < 100);
});
