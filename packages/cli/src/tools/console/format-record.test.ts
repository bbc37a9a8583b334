import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadRecord } from '@weir/client';
import { escapeControls } from '../../problem.ts';
import { type PrintProperties, readPrintProperties } from '../../values/console-properties.ts';
import { formatRecord } from './format-record.ts';

const record: ReadRecord = {
  partition: 3,
  offset: 42n,
  timestamp: 1_700_000_000_000n,
  timestampType: 'createTime',
  key: Buffer.from('k'),
  value: Buffer.from('v\u001b[31m'),
  headers: [
    { key: 'a', value: Buffer.from('1') },
    { key: 'b', value: null },
  ],
};

function printed(
  some: Partial<ReadRecord>,
  properties: Record<string, string>,
  safe = (text: string) => text,
) {
  const given = Object.entries(properties).map(([name, value]) => ({ name, value }));
  const found = readPrintProperties(given) as { readonly value: PrintProperties };
  return formatRecord({ ...record, ...some }, undefined, found.value, safe);
}

const everything = Object.fromEntries(
  ['timestamp', 'partition', 'offset', 'headers', 'key'].map((part) => [`print.${part}`, 'true']),
);

test('parts are printed in the order of the Kafka tool', () => {
  assert.equal(printed({}, {}), 'v\u001b[31m\n');
  assert.equal(
    printed({}, everything),
    'CreateTime:1700000000000\tPartition:3\tOffset:42\ta:1,b:null\tk\tv\u001b[31m\n',
  );
  assert.equal(
    printed(
      { timestampType: 'logAppendTime', headers: [], key: null, value: null },
      { ...everything, 'key.separator': '|', 'line.separator': ';', 'null.literal': '-' },
    ),
    'LogAppendTime:1700000000000|Partition:3|Offset:42|NO_HEADERS|-|-;',
  );
  assert.equal(
    printed({ timestamp: -1n }, { 'print.timestamp': 'true', 'print.value': 'false' }),
    'NO_TIMESTAMP\n',
  );
  assert.equal(
    printed({}, { 'print.headers': 'true', 'headers.separator': ';', 'print.value': 'false' }),
    'a:1;b:null\n',
  );
});

test('bytes that are no text are hex, and texts are made safe', () => {
  assert.equal(printed({ value: Buffer.from([0xff, 0x00]) }, {}), '0xff00\n');
  assert.ok(!printed({}, {}, escapeControls).includes('\u001b'));
});
