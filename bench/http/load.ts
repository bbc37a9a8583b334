import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom, systemClock } from '@weir/core';

/**
 * Clients of the HTTP port of an agent in a thread of their own, each with a connection and one request in flight. They
 * write HTTP themselves and look only at the ends of answers, so that they take little of the machine.
 */
export interface HttpLoad {
  readonly port: number;
  readonly kind: 'produce' | 'fetch';
  readonly topic: string;
  /** One connection to each. */
  readonly partitions: number;
  readonly connectionsPerPartition: number;
  readonly recordsPerBatch: number;
  readonly recordBytes: number;
}

/** Requests that were answered until now, and the bytes of their answers. */
export interface HttpLoadCount {
  readonly requests: number;
  readonly answerBytes: number;
}

const load = workerData as HttpLoad;
const random = seededRandom(1);
/** The end of an answer whose length was not known when it began. */
const lastChunk = Buffer.from('\r\n0\r\n\r\n');
const tailBytes = 128;

let requests = 0;
let answerBytes = 0;
let isOver = false;

function post(path: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return Buffer.from(`${head}\r\n\r\n${body}`, 'latin1');
}

/** The same records every time: to build new ones would cost more than to read them does. */
function produceRequest(partition: number): Buffer {
  const { topic, recordsPerBatch, recordBytes } = load;
  const records = Array.from({ length: recordsPerBatch }, () => {
    const value = Buffer.from(Array.from({ length: recordBytes }, () => random.below(256)));
    return { value: value.toString('base64') };
  });
  const body = { topics: [{ topic, partitions: [{ partition, records }] }] };
  return post('/v1/kafka/produce', JSON.stringify(body));
}

function fetchRequest(partition: number, offset: number): Buffer {
  const partitions = [{ partition, fetch_offset: offset }];
  return post(
    '/v1/kafka/fetch',
    JSON.stringify({ topics: [{ topic: load.topic, partitions }], max_wait_ms: 0 }),
  );
}

/** Sends a request and resolves with the end of the answer. */
function exchange(socket: Socket, request: Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let bytes = 0;
  let expected = Number.POSITIVE_INFINITY;
  let tail: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    if (bytes === 0) {
      const head = chunk.toString('latin1', 0, 1_024);
      if (!head.startsWith('HTTP/1.1 200 ')) return reject(new Error(`${load.kind}: ${head}`));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length !== undefined) expected = head.indexOf('\r\n\r\n') + 4 + Number(length);
    }
    bytes += chunk.length;
    tail =
      chunk.length >= tailBytes
        ? chunk.subarray(-tailBytes)
        : Buffer.concat([tail, chunk]).subarray(-tailBytes);
    if (bytes < expected && !tail.subarray(-lastChunk.length).equals(lastChunk)) return;
    socket.off('data', take);
    requests++;
    answerBytes += bytes;
    resolve(tail.toString('latin1'));
  };
  socket.on('data', take);
  socket.write(request);
  return promise;
}

async function produceAll(socket: Socket, partition: number): Promise<void> {
  const request = produceRequest(partition);
  while (!isOver) {
    const answer = await exchange(socket, request);
    if (!answer.includes('"error_code":0')) throw new Error(`produce: ${answer}`);
  }
}

async function fetchAll(socket: Socket, partition: number): Promise<void> {
  let offset = 0;
  while (!isOver) {
    const answer = await exchange(socket, fetchRequest(partition, offset));
    const next = Number(/"next_offset":(\d+)/.exec(answer)?.[1]);
    if (!Number.isSafeInteger(next)) throw new Error(`fetch: ${answer}`);
    // From the beginning again.
    offset = next === offset ? 0 : next;
  }
}

const { partitions, connectionsPerPartition, port, kind } = load;
const clients = Array.from({ length: partitions * connectionsPerPartition }, async (_, index) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  try {
    await (kind === 'produce' ? produceAll : fetchAll)(socket, index % partitions);
  } finally {
    socket.destroy();
  }
});
parentPort!.on('message', (wanted: 'count' | 'end') => {
  if (wanted === 'end') isOver = true;
  else parentPort!.postMessage({ requests, answerBytes } satisfies HttpLoadCount);
});
await Promise.all(clients);
systemClock.after(0, () => process.exit(0));
