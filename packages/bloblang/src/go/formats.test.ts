import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf } from '../index.ts';
import { bloblangLimits } from '../limits.ts';
import { Bytes, Float, Timestamp, type Value } from '../values/value.ts';
import { decompressBzip2 } from './bzip2.ts';
import { parseMsgpack, printMsgpack } from './msgpack.ts';
import { parseXml, XmlDocuments } from './xml.ts';
import { utcZone } from './zones.ts';

/** What a reader makes of something, as JSON, or why it refuses. */
function outcome(read: () => Value): string {
  try {
    return contentOf(read()).toString();
  } catch (error) {
    return `! ${(error as Error).message}`;
  }
}

// biome-ignore format: a table
const xmlCases: readonly [xml: string, json: string][] = [
  ['<a x="1"><b>1</b><b y="2">z</b>t</a>',                '{"a":{"-x":"1","b":["1",{"-y":"2","#text":"z"}],"#text":"t"}}'],
  ['<a xmlns="u" xmlns:p="q"><p:b p:c="1"/></a>',         '{"a":{"-xmlns":"u","-p":"q","b":{"-c":"1"}}}'],
  ['<a>&ndash;&lt;&#65;&#x42; & &amp</a>',                '{"a":"&ndash;<AB & &amp"}'],
  ['<a> t1 <b/> t2 </a>',                                 '{"a":{"b":"","#text":"t1"}}'],
  ['<a><!-- c -->t<!-- d -->u</a>',                       '{"a":"u"}'],
  ['<a b=c d>x</a>',                                      '{"a":{"-b":"c","-d":"d","#text":"x"}}'],
  ['<a><b><c>1</d></a>',                                  '{"a":{"b":{"c":"1"}}}'],
  ['<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "v">]><a>&e;</a>', '{"a":"&e;"}'],
  ['<__proto__><__proto__ x="1"/></__proto__>',           '{"__proto__":{"__proto__":{"-x":"1"}}}'],
  ['',                                                    '! there is no XML element'],
  ['<a',                                                  '! unexpected end of XML'],
  ['<a><b></b>',                                          '! unexpected end of XML'],
  ['<a>]]></a>',                                          '! unescaped ]]> not in CDATA section'],
  ['<a x="<">t</a>',                                      '! unescaped < inside quoted string'],
  ['<a>\u0001</a>',                                       '! illegal character code U+0001'],
  ['<-a/>',                                               '! invalid XML name -a'],
  ['<a><!-- a -- b --></a>',                              '! invalid sequence "--" not allowed in comments'],
  ['<?xml version="1.1"?><a/>',                           '! unsupported version of XML; use 1.0'],
  ['<?xml version="1.0" encoding="klingon"?><a/>',        '! the encoding klingon is not known'],
];

test('XML becomes objects as Bento makes them', () => {
  for (const [xml, json] of xmlCases)
    assert.equal(
      outcome(() => parseXml(Buffer.from(xml), { casts: false })),
      json,
      xml,
    );
  const numbers =
    '<a x="1"><b>1.5</b><c>True</c><d>NaN</d><e>0x10</e><f>1_000</f><g>1e400</g><h>tRue</h></a>';
  assert.equal(
    outcome(() => parseXml(Buffer.from(numbers), { casts: true })),
    '{"a":{"-x":1,"b":1.5,"c":true,"d":"NaN","e":"0x10","f":1000,"g":"1e400","h":"tRue"}}',
  );
});

test('XML may come in parts of any size, and documents follow each other', () => {
  const text = '<a x="1 > 2">é<b/><![CDATA[<]]></a>\n<!-- > --><c>&amp;</c>';
  for (let size = 1; size < text.length; size++) {
    const documents = new XmlDocuments({ casts: false });
    const found: Value[] = [];
    const take = () => {
      for (let next = documents.next(); next !== undefined; next = documents.next()) found.push(next);
    };
    for (let at = 0; at < text.length; at += size) {
      documents.add(text.slice(at, at + size));
      take();
    }
    documents.end();
    take();
    assert.equal(
      contentOf(found).toString(),
      '[{"a":{"-x":"1 > 2","#text":"<","b":""}},{"c":"&"}]',
      `parts of ${size}`,
    );
  }
});

test('XML that would take too much is refused', () => {
  const deep = '<a>'.repeat(bloblangLimits.valueDepthMax + 1);
  assert.match(
    outcome(() => parseXml(Buffer.from(deep), { casts: false })),
    /nested too deeply/,
  );
  const wide = `<a>${'<b/>'.repeat(bloblangLimits.xmlElementsMax)}</a>`;
  assert.match(
    outcome(() => parseXml(Buffer.from(wide), { casts: false })),
    /more than 1000000 elements/,
  );
  // Each is read once, whatever is missing at its end.
  for (const open of [' '.repeat(5_000_000), '&'.repeat(5_000_000), '<!-- '.padEnd(5_000_000, 'x')])
    assert.match(
      outcome(() => parseXml(Buffer.from(`<a>${open}`), { casts: false })),
      /unexpected end/,
    );
});

// biome-ignore format: a table
const packed: readonly [hex: string, json: string][] = [
  ['c0',                             'null'],
  ['93017fff',                       '[1,127,-1]'],
  ['93cc80cdffffceffffffff',         '[128,65535,4294967295]'],
  ['94d080d18000d280000000d38000000000000000', '[-128,-32768,-2147483648,-9223372036854775808]'],
  ['cfffffffffffffffff',             '18446744073709551615'],
  ['92ca3dcccccdcb3ff8000000000000', '[0.1,1.5]'],
  ['81a161c403010203',               '{"a":"AQID"}'],
  ['81c0a161',                       '{"":"a"}'],
  ['81a95f5f70726f746f5f5f01',       '{"__proto__":1}'],
  ['d6ff00000001',                   '"1970-01-01T00:00:01Z"'],
  ['d7ff0000000500000001',           '"2106-02-07T06:28:17.000000001Z"'],
  ['c70cff000000010000000000000001', '"1970-01-01T00:00:01.000000001Z"'],
  ['c0c0',                           'null'],
  ['',                               '! unexpected end of MessagePack'],
  ['ddffffffff01',                   '! unexpected end of MessagePack'],
  ['dbffffffff61',                   '! unexpected end of MessagePack'],
  ['c1',                             '! unknown type 0xc1 of MessagePack'],
  ['8101a161',                       '! a key of MessagePack is no text'],
  ['d40500',                         '! unknown extension 5 of MessagePack'],
  ['cb7ff0000000000000',             '! a number of MessagePack is not finite'],
  ['91'.repeat(3000),                '! the value is nested too deeply'],
];

test('MessagePack is read', () => {
  for (const [hex, json] of packed)
    assert.equal(
      outcome(() => parseMsgpack(Buffer.from(hex, 'hex'))),
      json,
      hex.slice(0, 60),
    );
});

test('what is written as MessagePack comes back', () => {
  const long = 'x'.repeat(300);
  const values: readonly Value[] = [
    [null, true, false, 0, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 2n ** 64n - 1n],
    [-1, -32, -33, -128, -129, -32_768, -32_769, -2_147_483_648, -2_147_483_649, -(2n ** 63n), 1.5, -0.1],
    { a: 'é', b: long, c: long.repeat(300), d: [], e: {}, f: Array.from({ length: 20 }, (_, at) => at) },
    Array.from({ length: 70_000 }, () => 1),
    Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`k${at}`, at] as const).toSorted()),
  ];
  for (const value of values) assert.deepEqual(parseMsgpack(printMsgpack(value)), value);
  const other = {
    bytes: new Bytes(Buffer.from('ab')),
    time: new Timestamp(-5, 7, utcZone),
    whole: new Float(1),
  };
  assert.equal(
    printMsgpack(other).toString('hex'),
    '83a56279746573c4026162a474696d65c70cff00000007fffffffffffffffba577686f6c65cb3ff0000000000000',
  );
});

test('bzip2 is decompressed, also several streams, and up to a limit', () => {
  const hello = Buffer.from('QlpoOTFBWSZTWeW18wkAAARRAAAQQAACRKAAIbUYDAKQacKjC7kinChIctr5hIA=', 'base64');
  // 70,000,000 zeros.
  const bomb = Buffer.from(
    'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZxS9ikQC4mEAEwAAAIAAIIAAwzAUppgohU2IUQqeLuSKcKEhsnlOXgA==',
    'base64',
  );
  const spoilt = Buffer.from(hello);
  spoilt[12]! ^= 1;
  // biome-ignore format: a table
  const cases: readonly [bytes: Buffer, text: string | RegExp][] = [
    [hello,                          'hello hello hello\n'],
    [Buffer.concat([hello, hello]),  'hello hello hello\nhello hello hello\n'],
    [Buffer.from('QlpoORdyRThQkAAAAAA=', 'base64'), ''],
    [spoilt,                         /wrong checksum/],
    [hello.subarray(0, 30),          /unexpected end/],
    [Buffer.from('no bzip2'),        /no bzip2 data/],
    [Buffer.concat([hello, Buffer.from('junk')]), /no bzip2 data/],
    [bomb,                           /is larger than the 1048576 bytes allowed/],
  ];
  for (const [bytes, text] of cases) {
    if (text instanceof RegExp) assert.throws(() => decompressBzip2(bytes, 1 << 20), text);
    else assert.equal(decompressBzip2(bytes, 1 << 20).toString(), text);
  }
  // Any damage ends in an error, or in other bytes.
  for (let at = 4; at < hello.length; at++) {
    const damaged = Buffer.from(hello);
    damaged[at]! ^= 0xff;
    assert.throws(() => decompressBzip2(damaged, 1 << 20), Error);
  }
});
