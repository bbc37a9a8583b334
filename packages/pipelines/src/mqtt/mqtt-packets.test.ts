import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booleanOf } from './mqtt-output.ts';
import {
  helloPacket,
  PacketReader,
  packet,
  problemOfTopic,
  publishPacket,
  readPublish,
  receiptPacket,
  subscribePacket,
} from './mqtt-packets.ts';

const hello = {
  clientId: 'DIGI',
  isClean: true,
  keepAliveSeconds: 10,
  username: '',
  password: '',
  will: undefined,
};

test('packets have the bytes of MQTT 3.1.1', () => {
  // biome-ignore format: a table
  const cases: readonly [bytes: Buffer, hex: string][] = [
    [helloPacket(hello),                                                    '10 10 0004 4d515454 04 02 000a 0004 44494749'],
    [helloPacket({ ...hello, isClean: false, username: 'u', password: 'p' }), '10 16 0004 4d515454 04 c0 000a 0004 44494749 0001 75 0001 70'],
    [helloPacket({ ...hello, will: { topic: 't', payload: 'x', qos: 1, isRetained: true } }), '10 16 0004 4d515454 04 2e 000a 0004 44494749 0001 74 0001 78'],
    [publishPacket({ topic: 'a/b', payload: Buffer.from('x'), qos: 0, isRetained: false, id: 0 }), '30 06 0003 612f62 78'],
    [publishPacket({ topic: 'a/b', payload: Buffer.from('x'), qos: 2, isRetained: true, id: 10 }), '35 08 0003 612f62 000a 78'],
    [subscribePacket(10, ['a/b', 'c/d'], 1),                                '82 0e 000a 0003 612f62 01 0003 632f64 01'],
    [receiptPacket(4, 258),                                                 '40 02 0102'],
    [receiptPacket(6, 258),                                                 '62 02 0102'],
    [packet(12, 0),                                                         'c0 00'],
    [packet(3, 0, Buffer.alloc(128)).subarray(0, 3),                        '30 80 01'],
    [packet(3, 0, Buffer.alloc(2_097_152)).subarray(0, 5),                  '30 80 80 80 01'],
  ];
  for (const [bytes, hex] of cases) assert.equal(bytes.toString('hex'), hex.replaceAll(' ', ''));
});

test('packets are read, however they are cut', () => {
  const sent = [
    publishPacket({ topic: 'a', payload: Buffer.alloc(300, 'x'), qos: 1, isRetained: true, id: 7 }),
    packet(13, 0),
    publishPacket({ topic: 'b', payload: Buffer.alloc(0), qos: 0, isRetained: false, id: 0 }),
  ];
  const bytes = Buffer.concat(sent);
  for (const chunkBytes of [1, 2, 5, bytes.length]) {
    const read: string[] = [];
    const reader = new PacketReader((kind, flags, body) => {
      const message = kind === 3 ? readPublish(flags, body) : undefined;
      read.push(
        message
          ? `${message.topic} ${message.payload.length} ${message.qos} ${message.id} ${message.isRetained}`
          : `${kind}`,
      );
    });
    for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
    assert.deepEqual(read, ['a 300 1 7 true', '13', 'b 0 0 0 false']);
  }
});

test('what is too large, or none of MQTT, is refused', () => {
  const read = (hex: string) =>
    new PacketReader((_, flags, body) => readPublish(flags, body)).push(Buffer.from(hex, 'hex'));
  assert.throws(() => read('30ffffff7f'), /a message of 268435455 bytes is too large; the limit is 67108864/);
  assert.throws(() => read('30ffffffff01'), /does not speak/);
  for (const hex of ['3000', '30020005', '3602000161', '3203000161'])
    assert.throws(() => read(hex), /none of MQTT/, hex);
  for (const topic of ['', 'a/+', '#', 'a\0', 'x'.repeat(65_536)])
    assert.match(problemOfTopic(topic)!, /is no topic/);
  assert.throws(() => subscribePacket(1, ['x'.repeat(65_536)], 0), /65535 bytes/);
});

test('booleans as Go reads them', () => {
  assert.deepEqual(['true', 'T', '1', 'false', '0', 'F', 'yes', ''].map(booleanOf), [
    true,
    true,
    true,
    false,
    false,
    false,
    undefined,
    undefined,
  ]);
});
