import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { type Log, silentLog } from '@weir/core';
import { runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { listedAccess } from '../component/outbound-access.ts';

const frame = (type: number, channel: number, payload: Buffer) =>
  Buffer.concat([Buffer.of(type, 0, channel), size(payload.length), payload, Buffer.of(0xce)]);
const size = (bytes: number) => {
  const encoded = Buffer.alloc(4);
  encoded.writeUInt32BE(bytes);
  return encoded;
};
const method = (channel: number, kind: number, id: number, hex: string) =>
  frame(1, channel, Buffer.concat([Buffer.of(0, kind, 0, id), Buffer.from(hex.replaceAll(' ', ''), 'hex')]));

/** What a broker answers, by class and method of what it got; and then a message of a terabyte. */
const answers: Readonly<Record<string, readonly Buffer[]>> = {
  // tune
  '10.11': [method(0, 10, 30, '0000 00020000 0000')],
  // open-ok of the connection and the channel, select-ok, qos-ok
  '10.40': [method(0, 10, 41, '00')],
  '20.10': [method(1, 20, 11, '00000000')],
  '85.10': [method(1, 85, 11, '')],
  '60.10': [method(1, 60, 11, '')],
  // consume-ok, deliver, and the header of its content
  '60.20': [
    method(1, 60, 21, '01 63'),
    method(1, 60, 60, '01 63 0000000000000001 00 00 01 71'),
    frame(2, 1, Buffer.from('003c000000000100000000000000', 'hex')),
  ],
};

function serve(socket: Socket): void {
  let bytes = Buffer.alloc(0);
  let isGreeted = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!isGreeted && bytes.length >= 8) {
      bytes = bytes.subarray(8);
      isGreeted = true;
      socket.write(method(0, 10, 10, '0009 00000000 00000005 504c41494e 00000005 656e5f5553'));
    }
    while (bytes.length >= 8 && bytes.length >= 8 + bytes.readUInt32BE(3)) {
      const end = 8 + bytes.readUInt32BE(3);
      for (const answer of answers[`${bytes.readUInt16BE(7)}.${bytes.readUInt16BE(9)}`] ?? [])
        socket.write(answer);
      bytes = bytes.subarray(end);
    }
  });
}

/** Runs an input until it has failed, and returns why. */
async function failureOf(port: number, services = testServices()): Promise<string> {
  const stop = new AbortController();
  let reason = '';
  const log: Log = {
    ...silentLog,
    with: () => log,
    warn: (_, fields) => {
      reason = String(fields?.error);
      stop.abort();
    },
  };
  await runPipeline(
    `input: {amqp_0_9: {urls: ["amqp://127.0.0.1:${port}/"], queue: q}}\noutput: {drop: {}}\n`,
    { services: { ...services, log }, stop: stop.signal },
  );
  return reason;
}

test('a message that is too large is not gathered, and the connection ends with one line', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const outbound = listedAccess();
  assert.match(await failureOf(port, { ...testServices(), outbound }), /may not connect to/);
  assert.equal(connections, 0);
  assert.match(await failureOf(port), /a message of 1099511627776 bytes is too large; the limit is 67108864/);
});
