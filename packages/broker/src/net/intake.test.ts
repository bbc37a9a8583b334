import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectSecurely, createServer as createSecureServer } from 'node:tls';
import { pause, until } from '@weir/core/testing';
import { TestCa } from '@weir/security/testing';
import { type Intake, type Receiver, readChunks, takeOver } from './intake.ts';

const ca = await TestCa.create();
const { certificate, privateKey } = await ca.issueServer();

/** Opens a client connection and the server's intake for it. */
async function connected(t: TestContext, open: (accepted: Socket) => Intake) {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const intake = open(accepted);
  t.after(() => {
    client.destroy();
    accepted.destroy();
    intake.socket.destroy();
    server.close();
  });
  return { server, client, intake };
}

/** Stores a copy of received bytes, and may ask for a destination buffer. */
class Keeper implements Receiver {
  received = Buffer.alloc(0);
  place: Buffer | undefined;
  placedReads = 0;

  onPlaced(bytes: number): void {
    this.placedReads++;
    this.#keep(this.place!.subarray(0, bytes));
  }

  onChunk(chunk: Buffer): void {
    this.#keep(chunk);
  }

  #keep(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
  }
}

const ways: [name: string, open: (accepted: Socket) => Intake][] = [
  ['into memory of ours', takeOver],
  ['as chunks', readChunks],
];

for (const [name, open] of ways) {
  test(`${name}: sent bytes are received, and nothing while the intake is paused`, async (t) => {
    const { client, intake } = await connected(t, open);
    const keeper = new Keeper();
    client.write('early');
    await pause();
    intake.start(keeper);
    await until(() => keeper.received.length === 5);
    intake.pause();
    await pause();
    client.write('-late');
    await pause();
    assert.equal(String(keeper.received), 'early');
    intake.resume();
    await until(() => keeper.received.length === 10);
    assert.equal(String(keeper.received), 'early-late');
  });

  test(`${name}: both sides notice the end of the other, and the server can stop`, async (t) => {
    const { server, client, intake } = await connected(t, open);
    const keeper = new Keeper();
    intake.start(keeper);
    intake.socket.write('hello');
    const [greeting] = (await once(client, 'data')) as [Buffer];
    assert.equal(String(greeting), 'hello');
    client.end('bye');
    await once(intake.socket, 'close');
    assert.equal(String(keeper.received), 'bye');
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
}

test('bytes go where the receiver wants them', async (t) => {
  const { client, intake } = await connected(t, takeOver);
  const keeper = new Keeper();
  intake.start(keeper);
  keeper.place = Buffer.alloc(8);
  client.write('first');
  await until(() => keeper.received.length === 5);
  assert.equal(keeper.placedReads, 0);
  client.write('0123456789abcdef');
  await until(() => keeper.received.length === 21);
  assert.equal(keeper.placedReads, 2);
  assert.equal(String(keeper.received), 'first0123456789abcdef');
});

test('connections share the receive buffer without mixing their bytes', async (t) => {
  const all = await Promise.all(Array.from({ length: 8 }, () => connected(t, takeOver)));
  const keepers = all.map(({ intake }) => {
    const keeper = new Keeper();
    intake.start(keeper);
    return keeper;
  });
  const sent = all.map((_, index) => Buffer.alloc(300_000, String(index)));
  for (const [index, { client }] of all.entries()) client.write(sent[index]!);
  await until(() => keepers.every(({ received }) => received.length === 300_000));
  for (const [index, { received }] of keepers.entries()) assert.ok(received.equals(sent[index]!));
});

test('a socket of another kind is read in chunks', async (t) => {
  class OtherSocket extends Socket {}
  const { client, intake } = await connected(t, (accepted) => {
    Object.setPrototypeOf(accepted, OtherSocket.prototype);
    const intake = takeOver(accepted);
    assert.equal(intake.socket, accepted);
    return intake;
  });
  const keeper = new Keeper();
  keeper.place = Buffer.alloc(8);
  intake.start(keeper);
  client.write('chunk');
  await until(() => keeper.received.length === 5);
  assert.equal(keeper.placedReads, 0);
});

test('a TLS socket also reads into our memory, and keeps bytes that arrived earlier', async (t) => {
  const server = createSecureServer({ cert: certificate, key: privateKey });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connectSecurely({ host: '127.0.0.1', port, ca: ca.certificate });
  const [accepted] = (await once(server, 'secureConnection')) as [Socket];
  t.after(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  client.write('early');
  await once(accepted, 'readable');
  const keeper = new Keeper();
  keeper.place = Buffer.alloc(64 * 1024);
  const intake = takeOver(accepted);
  intake.start(keeper);
  assert.equal(String(keeper.received), 'early');
  const sent = Buffer.alloc(300_000, 'x');
  client.write(sent);
  await until(() => keeper.received.length === 5 + sent.length);
  assert.ok(keeper.placedReads > 0);
  intake.pause();
  client.write('late');
  await pause();
  assert.equal(keeper.received.length, 5 + sent.length);
  intake.resume();
  await until(() => keeper.received.length === 9 + sent.length);
  client.end();
  await once(accepted, 'close');
});

test('bytes that were put back on a plain connection are delivered first', async (t) => {
  let accepted!: Socket;
  const { client } = await connected(t, (socket) => {
    accepted = socket;
    return readChunks(socket);
  });
  client.write('head-body');
  await once(accepted, 'readable');
  accepted.removeAllListeners('readable');
  accepted.unshift((accepted.read() as Buffer).subarray(5));
  const taken = takeOver(accepted);
  assert.notEqual(taken.socket, accepted);
  const keeper = new Keeper();
  taken.start(keeper);
  assert.equal(String(keeper.received), 'body');
  client.write('-tail');
  await until(() => keeper.received.length === 9);
  assert.equal(String(keeper.received), 'body-tail');
  taken.socket.destroy();
});
