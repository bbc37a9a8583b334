import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from './jetstream-input.ts';
import { headerBlock, type NatsMessage, NatsParser, problemOfSubject } from './nats-parser.ts';

function eventsOf(text: string, chunkBytes: number): string[] {
  const events: string[] = [];
  const shown = ({ subject, subscription, reply, headers, status, payload }: NatsMessage) =>
    `${subject} ${subscription} ${reply} ${status} ${JSON.stringify(headers)} ${payload}`;
  const parser = new NatsParser({
    info: (json) => events.push(`info ${json}`),
    message: (message) => events.push(`message ${shown(message)}`),
    ping: () => events.push('ping'),
    pong: () => events.push('pong'),
    error: (reason) => events.push(`error ${reason}`),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) parser.push(bytes.subarray(at, at + chunkBytes));
  return events;
}

test('what a server sends is read, however it is cut', () => {
  // As the documentation of the protocol has them.
  const text = [
    'INFO {"max_payload":1}\r\n',
    '+OK\r\n',
    'MSG FOO.BAR 9 11\r\nHello World\r\n',
    'msg FOO.BAR 9 GREETING.34 4\r\na\r\nb\r\n',
    'HMSG FOO.BAR 9 BAZ.69 48 48\r\nNATS/1.0\r\nVegetable: Tomato\r\nVegetable: Kale\r\n\r\n\r\n',
    'HMSG _INBOX.x 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n',
    'PING\r\nPONG\r\n',
    "-ERR 'Authorization Violation'\r\n",
  ].join('');
  const expected = [
    'info {"max_payload":1}',
    'message FOO.BAR 9  undefined [] Hello World',
    'message FOO.BAR 9 GREETING.34 undefined [] a\r\nb',
    'message FOO.BAR 9 BAZ.69 undefined [["Vegetable","Tomato"],["Vegetable","Kale"]] ',
    'message _INBOX.x 1  503 [] ',
    'ping',
    'pong',
    'error Authorization Violation',
  ];
  for (const chunkBytes of [1, 2, 7, text.length]) assert.deepEqual(eventsOf(text, chunkBytes), expected);
});

test('what NATS does not send is refused', () => {
  // biome-ignore format: a table
  const cases: readonly [text: string, reason: RegExp][] = [
    ['HTTP/1.1 400\r\n',            /does not speak the protocol of NATS/],
    ['MSG a 1 99999999\r\n',        /a message of 99999999 bytes on a is too large; the limit is 67108864/],
    ['MSG a 1 99999999999999\r\n',  /none of NATS/],
    ['MSG a 1 -1\r\n',              /none of NATS/],
    ['MSG a\r\n',                   /none of NATS/],
    ['HMSG a 1 20 10\r\n',          /none of NATS/],
    ['x'.repeat(40_000),            /lines that are too long/],
  ];
  for (const [text, reason] of cases)
    assert.throws(() => eventsOf(text, text.length), reason, text.slice(0, 30));
});

test('headers and subjects cannot end a line', () => {
  assert.equal(headerBlock([['A', 'b: c']]).toString(), 'NATS/1.0\r\nA: b: c\r\n\r\n');
  for (const [key, value] of [
    ['A', 'b\r\nC: d'],
    ['A:', 'b'],
    ['A b', 'c'],
    ['', 'b'],
    ['A\r', 'b'],
  ] as const)
    assert.throws(() => headerBlock([[key, value]]), /header/, JSON.stringify([key, value]));
  for (const subject of ['a', 'a.b', '$JS.API.x', 'ä.b']) assert.equal(problemOfSubject(subject), undefined);
  for (const subject of ['', 'a b', 'a.', '.a', 'a..b', 'a\r\nPUB b 0', 'a.*', 'a.>'])
    assert.match(problemOfSubject(subject)!, /is no subject/, subject);
});

test('the subject of an acknowledgement says where a message is', () => {
  // biome-ignore format: a table
  const cases: readonly [reply: string, expected: string][] = [
    ['$JS.ACK.s.c.2.100.50.1700000000000000000.7',              '100 2 100,50,2,7,,1700000000000000000'],
    ['$JS.ACK._.acc.s.c.2.100.50.1700000000000000000.7',        '100 2 100,50,2,7,,1700000000000000000'],
    ['$JS.ACK.hub.acc.s.c.2.100.50.1700000000000000000.7.xyz',  '100 2 100,50,2,7,hub,1700000000000000000'],
    ['',                                                        '0 0 0,0,0,0,,0'],
  ];
  for (const [reply, expected] of cases) {
    const { sequence, deliveries, metadata } = placeOf(reply);
    assert.equal(`${sequence} ${deliveries} ${metadata.map(([, value]) => value)}`, expected);
  }
});
