import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { bool } from './bool.ts';
import { ipAddress } from './ip-address.ts';
import { list } from './list.ts';
import {
  autoOrInt,
  bytes,
  bytesPerSecond,
  durationMs,
  float,
  hexByte,
  int,
  percent,
  port,
} from './numbers.ts';
import { offsetPosition } from './offset-position.ts';
import {
  agentGroup,
  headerKey,
  hostname,
  oneOf,
  principal,
  text,
  virtualClusterId,
  zoneName,
} from './text.ts';
import { topicConfigs } from './topic-configs.ts';
import { databaseUrl, url } from './url.ts';
import type { ValueType } from './value-type.ts';

/** Each line is a text and its expected value; a problem is given by the words it must contain. */
function check<Value>(
  type: ValueType<Value>,
  cases: readonly [text: string, expected: Value | RegExp][],
): void {
  for (const [input, expected] of cases) {
    const parsed = type.parse(input);
    if (expected instanceof RegExp) {
      assert.ok('problem' in parsed, `${type.label} accepts ${input}`);
      assert.match(parsed.problem, expected);
    } else {
      assert.deepEqual(parsed, { value: expected }, `${type.label}: ${input}`);
    }
  }
}

test('numbers are read in their units and checked against their range', () => {
  check(bytes({ max: 128 * MiB }), [
    ['64MiB', 64 * MiB],
    ['16MB', 16_000_000],
    ['1048576', MiB],
    ['128MiB', 128 * MiB],
    ['200MiB', /^at most 128MiB is allowed$/],
    ['0', /^a byte count above 0/],
    ['64 potatoes', /^a byte count/],
  ]);
  check(bytes({ min: MiB, max: 128 * MiB }), [['1kB', /^1MiB to 128MiB is allowed$/]]);
  check(bytesPerSecond(), [['5MB', 5_000_000]]);
  check(durationMs({ min: 25 }), [
    ['300s', 300_000],
    ['1h', 3_600_000],
    ['25ms', 25],
    ['24ms', /^at least 25ms is allowed$/],
    ['250', /^a duration with a unit/],
  ]);
  check(int({ min: -1 }), [
    ['-1', -1],
    ['-0', 0],
    ['16', 16],
    ['-2', /^at least -1 is allowed$/],
    ['1.5', /^a whole number is needed$/],
    ['0x10', /whole number/],
  ]);
  check(float({ above: 0 }), [
    ['1.0', 1],
    ['0.5', 0.5],
    ['2e1', 20],
    ['0', /^above 0.0 is allowed$/],
    ['NaN', /^a number is needed$/],
    ['1e999', /^a number is needed$/],
  ]);
  check(percent(), [
    ['98', 98],
    ['98%', 98],
    ['97.5%', 97.5],
    ['0', 0],
    ['101', /^0% to 100% is allowed$/],
  ]);
  check(port(), [
    ['0', 0],
    ['9092', 9092],
    ['65536', /^0 to 65535 is allowed$/],
    ['http', /^a port number is needed$/],
  ]);
  check(hexByte({ min: 0xe0, max: 0xef }), [
    ['0xE0', 0xe0],
    ['0xef', 0xef],
    ['0xDF', /^0xE0 to 0xEF is allowed$/],
    ['E0', /^a byte in hex/],
    ['224', /^a byte in hex/],
  ]);
  check(autoOrInt({ min: 1, max: 8 }), [
    ['auto', 'auto'],
    ['4', 4],
    ['0', /^auto, or 1 to 8 is allowed$/],
    ['all', /^auto, or 1 to 8/],
  ]);
});

test('switches accept the words that Go accepts', () => {
  check(bool(), [
    ['true', true],
    ['True', true],
    ['1', true],
    ['t', true],
    ['false', false],
    ['0', false],
    ['F', false],
    ['yes', /^true or false is allowed$/],
  ]);
});

test('texts are checked against their alphabets', () => {
  check(text(), [
    ['anything at all', 'anything at all'],
    ['two\nlines', /on one line/],
  ]);
  check(zoneName(), [
    ['us-east-1a', 'us-east-1a'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), /^up to 128 lowercase/],
    ['US', /^up to 128 lowercase/],
    ['a_b', /^up to 128 lowercase/],
  ]);
  check(agentGroup(), [
    ['batch-2', 'batch-2'],
    ['', ''],
    ['Batch', /^lowercase letters/],
  ]);
  check(virtualClusterId(), [
    ['vci_0f1e2d3c_0001_0002_0003_0123456789ab', 'vci_0f1e2d3c_0001_0002_0003_0123456789ab'],
    ['vci_sr_1', 'vci_sr_1'],
    ['vci_', /^a virtual cluster id that starts with vci_/],
    ['cluster', /^a virtual cluster id that starts with vci_/],
  ]);
  check(headerKey(), [
    ['principal', 'principal'],
    ['_ws_mine', /does not start with _ws/],
  ]);
  check(principal(), [
    ['User:alice', 'User:alice'],
    ['User:CN=a,O=b', 'User:CN=a,O=b'],
    ['alice', /^User: and a name/],
  ]);
  check(ipAddress(), [
    ['127.0.0.1', '127.0.0.1'],
    [' ::1 ', '::1'],
    ['[::1]', '::1'],
    ['::', '::'],
    ['[127.0.0.1]', /^an IP address/],
    ['localhost', /^an IP address/],
    ['127.0.0.1:80', /^an IP address/],
    ['*', /^an IP address/],
  ]);
  check(hostname(), [
    ['kafka.example.org', 'kafka.example.org'],
    ['::1', '::1'],
    ['a b', /^a host name/],
  ]);
});

test('an enum lists its words in the problem', () => {
  check(oneOf('aws', 'gcp'), [
    ['gcp', 'gcp'],
    ['azure', /^one of aws, gcp is allowed$/],
    ['AWS', /^one of aws, gcp is allowed$/],
  ]);
});

test('lists are split on commas, trimmed, and empty when the text is', () => {
  check(list(oneOf('PLAIN', 'SCRAM-SHA-512')), [
    ['', []],
    ['PLAIN', ['PLAIN']],
    ['PLAIN, SCRAM-SHA-512', ['PLAIN', 'SCRAM-SHA-512']],
    ['PLAIN,GSSAPI', /^item 2: one of PLAIN, SCRAM-SHA-512 is allowed$/],
    ['PLAIN,,', /^item 2 is empty$/],
  ]);
  check(list(text(), { separator: ',,', trim: false }), [
    ['a,,b', ['a', 'b']],
    ['a,b,, c', ['a,b', ' c']],
  ]);
  check(list(principal(), { itemsBegin: 'User:' }), [
    ['User:a, User:b', ['User:a', 'User:b']],
    ['User:CN=a, O=b,User:c', ['User:CN=a, O=b', 'User:c']],
    ['a,User:b', /^item 1: User: and a name is allowed$/],
    ['User:a,,User:b', /^item 2 is empty$/],
    ['User:a,', /^item 2 is empty$/],
  ]);
});

test('URLs need a supported scheme and a host', () => {
  check(url(), [
    ['https://control.example.org/x?y=1', 'https://control.example.org/x?y=1'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['ftp://host', /^http:\/\/ or https:\/\//],
    ['https://', /^http:\/\/ or https:\/\//],
    ['control.example.org', /^http:\/\/ or https:\/\//],
  ]);
  check(databaseUrl(), [
    ['postgres://weir:secret@db:5432/weir', 'postgres://weir:secret@db:5432/weir'],
    ['postgresql://db/weir', 'postgresql://db/weir'],
    ['data/weir.db', 'data/weir.db'],
    ['mysql://db/weir', /^postgres:\/\//],
    ['postgres://', /^postgres:\/\//],
  ]);
});

test('a position in a partition is a number or one of its ends', () => {
  check(offsetPosition(), [
    ['earliest', 'earliest'],
    [' latest ', 'latest'],
    ['42', 42],
    ['-1', /^earliest, latest, or a number of at least 0 is allowed$/],
    ['first', /^earliest, latest, or a number/],
  ]);
});

test('the value of a config may be a list', () => {
  check(topicConfigs(), [
    ['retention.ms=1000', [{ name: 'retention.ms', value: '1000' }]],
    [
      'cleanup.policy=compact,delete,retention.ms=',
      [
        { name: 'cleanup.policy', value: 'compact,delete' },
        { name: 'retention.ms', value: '' },
      ],
    ],
    ['retention.ms', /^name=value is needed/],
    ['=1000', /^name=value is needed/],
    ['a=1,a=2', /^a is listed twice$/],
  ]);
});
