import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { compressors } from '@weir/bloblang';
import { runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { printTar } from '../archives/index.ts';

/** The bytes in chunks of a size, so that everything is cut everywhere. */
async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What a scanner makes of bytes; the texts of messages, or why it stopped. */
async function scanned(scanner: string, bytes: Buffer | string, chunkSize: number): Promise<string[]> {
  const stop = new AbortController();
  const failures: string[] = [];
  const log = {
    ...testServices().log,
    with: () => log,
    warn: (_: string, fields?: { readonly error?: unknown }) => {
      failures.push(`! ${fields?.error}`);
      stop.abort();
    },
  };
  const standardStreams = { input: chunksOf(Buffer.from(bytes as string), chunkSize), write: async () => {} };
  const { batches } = await runPipeline(`input: {stdin: {scanner: ${scanner}}}\noutput: {collect: {}}`, {
    services: { ...testServices(), log, standardStreams },
    stop: stop.signal,
  });
  const texts = batches
    .flat()
    .map(({ content, error }) => content.toString() + (error === undefined ? '' : ` (${error.message})`));
  return [...texts, ...failures];
}

const snappyOf = (bytes: Buffer) => compressors.snappy!(bytes, -1);
const gzipped = gzipSync('a\nb\n');
const bzipped = Buffer.from('QlpoOTFBWSZTWeW18wkAAARRAAAQQAACRKAAIbUYDAKQacKjC7kinChIctr5hIA=', 'base64');
const tarred = printTar(
  [
    { name: 'x', content: Buffer.from('one') },
    { name: 'y'.repeat(150), content: Buffer.from('two') },
  ],
  0,
);

const avroSchema =
  '{"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"s","type":["null","string"]}]}';
/** Two records: 1 and null, -2 and "x". */
const avroRecords = Buffer.from('02000302' + '0278', 'hex');

/** An Avro file with two blocks of the same content. */
function avroFile(codec: string, block: Buffer, { schema = avroSchema, count = 2 } = {}): Buffer {
  const text = (content: string | Buffer) =>
    Buffer.concat([
      Buffer.from([((content.length * 2) % 128) | (content.length > 63 ? 128 : 0)]),
      ...(content.length > 63 ? [Buffer.from([(content.length * 2) >> 7])] : []),
      Buffer.from(content as string),
    ]);
  const sync = Buffer.alloc(16, 7);
  const part = Buffer.concat([Buffer.from([count * 2]), text(block), sync]);
  const header = [
    Buffer.from([4]),
    text('avro.schema'),
    text(schema),
    text('avro.codec'),
    text(codec),
    Buffer.from([0]),
  ];
  return Buffer.concat([Buffer.from('Obj\x01', 'latin1'), ...header, sync, part, part]);
}

const checked = Buffer.concat([snappyOf(avroRecords), Buffer.alloc(4)]);

// biome-ignore format: a table
const cases: readonly [scanner: string, bytes: Buffer | string, messages: readonly string[] | RegExp][] = [
  ['{lines: {}}',                                       'a\nb\r\n\nc',            ['a', 'b', '', 'c']],
  ['{lines: {}}',                                       '',                       []],
  ['{lines: {omit_empty: true}}',                       '\n\na\n\n',              ['a']],
  ['{lines: {custom_delimiter: "--"}}',                 'a--b\n---c--',           ['a', 'b\n', '-c']],
  ['{lines: {max_buffer_size: 3}}',                     'abc\nabcd\n',            /more than 3 bytes/],
  ['{to_the_end: {}}',                                  'a\nb',                   ['a\nb']],
  ['{chunker: {size: 3}}',                              'abcdefgh',               ['abc', 'def', 'gh']],
  ['{json_documents: {}}',                              '{"a":"}\\""} [1,\n2]3 4"x"', ['{"a":"}\\""}', '[1,2]', '3', '4', 'x']],
  ['{json_documents: {}}',                              '{"a":1}{"b"',            /./],
  ['{json_documents: {}}',                              '{"a":1}}',               /./],
  ['{csv: {}}',                                         'a,b\n1,"x\n""y"""\n\n2,z\r\n', ['{"a":"1","b":"x\\n\\"y\\""}', '{"a":"2","b":"z"}']],
  ['{csv: {parse_header_row: false}}',                  'a,b\n1,',                ['["a","b"]', '["1",""]']],
  ['{csv: {custom_delimiter: ";"}}',                    'a;b\n1,5;2',             ['{"a":"1,5","b":"2"}']],
  ['{csv: {}}',                                         'a,b\n1\n2,3',            /wrong number of fields/],
  ['{csv: {continue_on_error: true}}',                  'a,b\n1\n2,3',            ['{"a":"1"} (record 2 of the CSV: wrong number of fields)', '{"a":"2","b":"3"}']],
  ['{csv: {}}',                                         'a\nx"y\n',               /a quote in a field/],
  ['{csv: {lazy_quotes: true}}',                        'a\nx"y\n"p"q"\n',        ['{"a":"x\\"y"}', '{"a":"p\\"q"}']],
  ['{csv: {expected_headers: [a, c]}}',                 'a,b\n1,2',               /columns a, b, and not a, c/],
  ['{csv: {expected_number_of_fields: 3}}',             'a,b\n1,2',               /wrong number of fields/],
  ['{decompress: {algorithm: gzip, into: {lines: {}}}}', gzipped,                 ['a', 'b']],
  ['{decompress: {algorithm: zlib}}',                   deflateSync('abc'),       ['abc']],
  ['{decompress: {algorithm: flate}}',                  deflateRawSync('abc'),    ['abc']],
  ['{decompress: {algorithm: gzip}}',                   'no gzip',                /incorrect header/],
  ['{decompress: {algorithm: gzip}}',                   gzipped.subarray(0, 15),  /unexpected end/],
  ['{skip_bom: {into: {lines: {}}}}',                   '\ufeffa\nb',             ['a', 'b']],
  ['{skip_bom: {}}',                                    'ab',                     ['ab']],
  ['{tar: {}}',                                         tarred,                   ['one', 'two']],
  ['{tar: {}}',                                         'x'.repeat(600),          /no tar archive/],
  ['{re_match: {pattern: "(?m)^\\\\d"}}',               'head\n1 a\nmore\n2 é\n', ['head\n', '1 a\nmore\n', '2 é\n']],
  ['{re_match: {pattern: x, max_buffer_size: 5}}',      'abcdefgh',               /more than 5 bytes/],
  ['{decompress: {algorithm: bzip2, into: {lines: {}}}}', bzipped,                ['hello hello hello']],
  ['{avro: {}}',                                        avroFile('null', avroRecords), ['{"id":1,"s":null}', '{"id":-2,"s":{"string":"x"}}', '{"id":1,"s":null}', '{"id":-2,"s":{"string":"x"}}']],
  ['{avro: {raw_json: true}}',                          avroFile('deflate', deflateRawSync(avroRecords)), ['{"id":1,"s":null}', '{"id":-2,"s":"x"}', '{"id":1,"s":null}', '{"id":-2,"s":"x"}']],
  ['{avro: {raw_json: true}}',                          avroFile('snappy', checked), ['{"id":1,"s":null}', '{"id":-2,"s":"x"}', '{"id":1,"s":null}', '{"id":-2,"s":"x"}']],
  ['{avro: {}}',                                        avroFile('null', Buffer.from('\x02a'), { schema: '"string"', count: 1 }), ['"a"', '"a"']],
  ['{avro: {}}',                                        avroFile('xz', avroRecords), /compressed by xz/],
  ['{avro: {}}',                                        avroFile('null', avroRecords.subarray(1)), /./],
  ['{avro: {}}',                                        avroFile('null', avroRecords, { schema: '"nothing"' }), /./],
  ['{avro: {}}',                                        avroFile('null', avroRecords).subarray(0, -5), /unexpected end of the Avro file/],
  ['{avro: {}}',                                        'no avro at all',         /this is no Avro file/],
  ['{xml_documents: {operator: to_json}}',              '<a>a0</a>junk\n<a><b x="1">é</b></a>', ['{"a":"a0"}', '{"a":{"b":{"-x":"1","#text":"é"}}}']],
  ['{xml_documents: {operator: to_json, cast: true}}',  '<!DOCTYPE a><a><!-- > --><![CDATA[ 7 ]]></a>', ['{"a":7}']],
  ['{xml_documents: {operator: to_json}}',              Buffer.from('<?xml version="1.0" encoding="latin1"?><a>\xe9</a>', 'latin1'), ['{"a":"é"}']],
  ['{xml_documents: {operator: to_json}}',              '<a><b></b>',             /unexpected end of XML/],
  ['{xml_documents: {operator: to_json}}',              'no xml',                 []],
  ['{switch: [{re_match_name: "\\\\.csv$", scanner: {csv: {}}}, {scanner: {lines: {}}}]}', 'a,b\n', ['a,b']],
  ['{switch: [{re_match_name: "\\\\.csv$", scanner: {csv: {}}}]}', 'a,b\n',       /no case of the scanner/],
];

test('how bytes are cut into messages, wherever chunks end', async () => {
  for (const [scanner, bytes, expected] of cases)
    for (const chunkSize of [1, 2, 7, 10_000]) {
      const found = await scanned(scanner, bytes, chunkSize);
      const what = `${scanner} of ${JSON.stringify(bytes.toString())} in chunks of ${chunkSize}`;
      if (expected instanceof RegExp)
        assert.match(found.at(-1) ?? '', new RegExp(`^! .*${expected.source}`), what);
      else assert.deepEqual(found, expected, what);
    }
});
