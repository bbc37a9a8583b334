import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openProcessor, problemsOfProcessor, processed, shown } from '../../testing/open-processor.ts';
import { testServices } from '../../testing/run-pipeline.ts';
import { Expansion, printTar, printZip, readTar, readZip } from '../archives/index.ts';
import { Message } from '../component/message.ts';

const batchOf = (...contents: readonly string[]) => contents.map((content) => Message.of(content));

test('what is compressed comes back', async () => {
  const text = 'x'.repeat(10_000);
  for (const algorithm of ['flate', 'gzip', 'lz4', 'pgzip', 'snappy', 'zlib', 'zstd']) {
    const compress = await openProcessor({ compress: { algorithm } });
    const decompress = await openProcessor({ decompress: { algorithm } });
    const [small] = await processed(compress, batchOf(text));
    assert.ok(small!.content.length < 1000, algorithm);
    const [whole, broken] = await processed(decompress, [small!, Message.of('\x05no')]);
    assert.equal(shown(whole!), text, algorithm);
    assert.match(shown(broken!), new RegExp(`^! failed to decompress as ${algorithm}: `), algorithm);
    assert.equal(broken!.content.toString(), '\x05no');
  }
});

test('bzip2 is read, and not written', async () => {
  const decompress = await openProcessor({ decompress: { algorithm: 'bzip2' } });
  const packed = 'QlpoOTFBWSZTWeW18wkAAARRAAAQQAACRKAAIbUYDAKQacKjC7kinChIctr5hIA=';
  const answers = await processed(decompress, [Message.of(Buffer.from(packed, 'base64')), Message.of('BZ')]);
  assert.deepEqual(answers.map(shown), [
    'hello hello hello\n',
    '! failed to decompress as bzip2: unexpected end of bzip2 data',
  ]);
});

test('a message that becomes too large fails, and others go on', async () => {
  const bomb = Message.of(gzipSync(Buffer.alloc(65 * 1024 * 1024)));
  const decompress = await openProcessor({ decompress: { algorithm: 'gzip' } });
  const answers = await processed(decompress, [bomb, Message.of(gzipSync('a'))]);
  assert.deepEqual(answers.map(shown), [
    '! failed to decompress as gzip: it has more than 67108864 bytes',
    'a',
  ]);
});

test('a batch becomes one message, with the metadata of the first', async () => {
  // biome-ignore format: a table
  const cases: readonly [format: string, archive: string][] = [
    ['lines',       '{"a":1}\n[2]\n3'],
    ['concatenate', '{"a":1}[2]3'],
    ['json_array',  '[{"a":1},[2],3]'],
    ['binary',      '\0\0\0\x03\0\0\0\x07{"a":1}\0\0\0\x03[2]\0\0\0\x013'],
  ];
  for (const [format, archive] of cases) {
    const [first, ...rest] = batchOf('{"a":1}', '[2]', '3');
    const batch = [first!.withEntry('k', 'v'), ...rest];
    const [made, ...more] = await processed(await openProcessor({ archive: { format } }), batch);
    assert.equal(shown(made!), archive, format);
    assert.deepEqual([[...made!.metadata], more.length], [[['k', 'v']], 0]);
  }
  await assert.rejects(
    async () => processed(await openProcessor({ archive: { format: 'json_array' } }), batchOf('{', '1')),
    /parse as json/,
  );
});

test('a message becomes several', async () => {
  // biome-ignore format: a table
  const cases: readonly [format: string, content: string, made: string[]][] = [
    ['lines',          'a\n\nb\n',                        ['a', '', 'b', '']],
    ['xml_documents_to_json', '<a>1</a> <b x="2"/>',    ['{"a":"1"}', '{"b":{"-x":"2"}}']],
    ['xml_documents_to_json:cast', '<a>1</a><b>x</b>',  ['{"a":1}', '{"b":"x"}']],
    ['lines',          '',                                ['']],
    ['json_array',     '[1,{"a":[]},"x",null]',           ['1', '{"a":[]}', '"x"', 'null']],
    ['json_array',     '{}',                              ['! the message is no JSON array']],
    ['json_map',       '{"a":1,"b":{"c":2}}',             ['1', '{"c":2}']],
    ['json_map',       '[]',                              ['! the message is no JSON object']],
    ['json_documents', '{"a":"}"} [1]2 "x\\""\n\ttrue{}', ['{"a":"}"}', '[1]', '2', '"x\\""', 'true', '{}']],
    ['json_documents', '',                                []],
    ['json_documents', '{"a":1} {"b":',                   ['! parse as json: unexpected EOF']],
    ['csv',            'a,b\n1,"x,y"\n2,\n',              ['{"a":"1","b":"x,y"}', '{"a":"2","b":""}']],
    ['csv',            'a,b\n1\n',                        ['! the message is no CSV: record on line 2: wrong number of fields']],
    ['csv:|',          'a|__proto__\n1|2',                ['{"a":"1","__proto__":"2"}']],
    ['csv',            '',                                []],
    ['binary',         '\0\0\0\x02\0\0\0\x01a\0\0\0\0',   ['a', '']],
    ['binary',         '\xff\xff\xff\xff',                ['! the message is no binary archive']],
    ['binary',         'a',                               ['! the message is no binary archive']],
    ['tar',            'a'.repeat(512),                   ['! the message is no tar archive']],
    ['zip',            'PK',                              ['! the message is no zip archive']],
  ];
  for (const [format, content, expected] of cases) {
    const processor = await openProcessor({ unarchive: { format } });
    const made = await processed(processor, [
      Message.of(Buffer.from(content, 'latin1'), new Map([['k', 'v']])),
    ]);
    assert.deepEqual(made.map(shown), expected, `${format} ${content}`);
    for (const { metadata } of made) assert.equal(metadata.get('k'), 'v');
  }
});

test('keys and names of files are metadata', async () => {
  const map = await openProcessor({ unarchive: { format: 'json_map' } });
  const keys = (await processed(map, batchOf('{"a":1,"b":2}'))).map(({ metadata }) =>
    metadata.get('archive_key'),
  );
  assert.deepEqual(keys, ['a', 'b']);
  const longName = `${'long/'.repeat(40)}ü.txt`;
  for (const format of ['tar', 'zip']) {
    const archive = await openProcessor({ archive: { format, path: `\${! json("name") }` } });
    const batch = batchOf('{"name":"a.txt"}', JSON.stringify({ name: longName }), '{"name":""}');
    const unarchive = await openProcessor({ unarchive: { format } });
    const made = await processed(unarchive, await processed(archive, batch));
    assert.deepEqual(made.map(shown), batch.map(shown), format);
    const names = made.map(({ metadata }) => metadata.get('archive_filename'));
    assert.deepEqual(names, ['a.txt', longName, ''], format);
  }
});

const entries = [
  { name: 'a', content: Buffer.from('1') },
  { name: `dir/${'n'.repeat(120)}`, content: Buffer.alloc(600, 'x') },
];

test('archives are those of other programs', (t) => {
  const script = [
    'import sys, io, tarfile, zipfile',
    'data = sys.stdin.buffer.read()',
    'out = io.BytesIO()',
    "if sys.argv[1] == 'tar':",
    '  read = tarfile.open(fileobj=io.BytesIO(data))',
    '  files = [(m.name, read.extractfile(m).read()) for m in read]',
    "  write = tarfile.open(fileobj=out, mode='w', format=tarfile.GNU_FORMAT)",
    '  for name, content in files:',
    '    info = tarfile.TarInfo(name); info.size = len(content); write.addfile(info, io.BytesIO(content))',
    'else:',
    '  read = zipfile.ZipFile(io.BytesIO(data))',
    '  assert read.testzip() is None',
    '  files = [(name, read.read(name)) for name in read.namelist()]',
    "  write = zipfile.ZipFile(out, 'w')",
    '  for i, (name, content) in enumerate(files):',
    '    write.writestr(name, content, zipfile.ZIP_DEFLATED if i else zipfile.ZIP_STORED)',
    'write.close()',
    'sys.stdout.buffer.write(out.getvalue())',
  ].join('\n');
  for (const [format, print, read] of [
    ['tar', printTar, readTar],
    ['zip', printZip, readZip],
  ] as const) {
    const input = print(entries, testServices().clock.nowMs());
    const { stdout, stderr, error } = spawnSync('python3', ['-c', script, format], { input });
    if (error !== undefined) return t.skip('needs python3');
    assert.equal(stderr.toString(), '', format);
    assert.deepEqual(read(stdout, new Expansion()), entries, format);
  }
});

test('archives that would become too large are refused before they do', () => {
  const zip = printZip(entries, 0);
  assert.throws(() => readZip(zip, new Expansion({ bytesMax: 600 })), /more bytes in it/);
  assert.throws(() => readZip(zip, new Expansion({ messagesMax: 1 })), /more than 1 messages/);
  assert.throws(
    () => readTar(printTar(entries, 0), new Expansion({ messagesMax: 1 })),
    /more than 1 messages/,
  );
  // The directory claims one byte, and the entry has a million.
  const lying = printZip([{ name: 'a', content: Buffer.alloc(1_000_000) }], 0);
  const [local, central] = [22, lying.readUInt32LE(lying.length - 6) + 24];
  for (const at of [local, central]) lying.writeUInt32LE(1, at);
  assert.throws(() => readZip(lying, new Expansion()), /larger than 2 bytes|wrong checksum/);
});

test('broken archives are one line', () => {
  for (const [print, read] of [
    [printTar, readTar],
    [printZip, readZip],
  ] as const) {
    const archive = print(entries, 0);
    for (let at = 0; at < archive.length; at += 7) {
      const broken = Buffer.from(archive);
      broken[at]! ^= 0xff;
      for (const bytes of [broken, archive.subarray(0, at)]) {
        try {
          read(bytes, new Expansion());
        } catch (error) {
          assert.match((error as Error).message, /^[^\n]+$/);
        }
      }
    }
  }
});

test('formats that do not exist are noted', () => {
  const available = 'flate, gzip, lz4, pgzip, snappy, zlib, zstd';
  const formats =
    'binary, csv, json_array, json_documents, json_map, lines, tar, xml_documents_to_json, xml_documents_to_json:cast, zip';
  // biome-ignore format: a table
  const cases: readonly [config: object, problem: string][] = [
    [{ compress: { algorithm: 'rar' } },                      `algorithm has to be one of ${available}`],
    [{ compress: { algorithm: 'bzip2' } },                    `algorithm has to be one of ${available}`],
    [{ decompress: { algorithm: 'constructor' } },            `algorithm has to be one of bzip2, ${available}`],
    [{ unarchive: { format: 'csv:ab' } },                     `format has to be one of ${formats}, or csv: and a delimiter of one character`],
    [{ archive: { format: 'csv' } },                          'format has to be one of concatenate, lines, binary, json_array, tar, zip'],
  ];
  for (const [config, problem] of cases) assert.deepEqual(problemsOfProcessor(config), [problem]);
});
