import { systemClock } from '@weir/core';
import { encodeFrame } from '../../../packages/rpc/src/frames/frame.ts';
import { frameKinds } from '../../../packages/rpc/src/frames/frame-kinds.ts';
import { type CostListener, listed, nested, ownConnection, sendTo } from '../listener.ts';
import type { Sizes } from '../search.ts';
import type { Addresses } from '../served-process.ts';
import { clusterOf } from './api.ts';

/** The first bytes of messages of a WebSocket. */
const binary = 0x82;
const closing = 0x88;
/** All calls and pings were answered. */
const answered = 'answered';
let clusterId = '';
let agentKey = '';
let last: { readonly sent: Buffer; readonly asked: number } | undefined;

/** The port to which agents connect, with a key of an agent. */
export const rpcListener: CostListener = {
  name: 'rpc',
  bytesMax: 4 << 20,
  portOf: ({ controlPlane }) => controlPlane,
  answerOf,
  async prepare(addresses: Addresses) {
    clusterId = await clusterOf(addresses);
    const grant = { principal_kind: 'agent', resource_kind: 'virtual_cluster', resource_id: clusterId };
    const response = await fetch(`http://127.0.0.1:${addresses.controlPlane}/api/v1/create_api_key`, {
      method: 'POST',
      headers: { 'service-api-key': addresses.apiKey, 'content-type': 'application/json', ...ownConnection },
      body: JSON.stringify({ name: 'cost', access_grants: [grant] }),
    });
    const made = (await response.json()) as {
      readonly key?: string;
      readonly api_key?: { readonly key?: string };
    };
    agentKey = made.key ?? made.api_key?.key ?? '';
    if (agentKey === '')
      throw new Error(`there is no key of an agent: ${JSON.stringify(made).slice(0, 300)}`);
    // A new key is not known at once, and what is refused costs nothing.
    let answer = '';
    for (let tries = 0; tries < 100 && answer !== answered; tries++) {
      await new Promise<void>((resolve) => systemClock.after(100, resolve));
      answer = await sendTo(rpcListener, addresses, connection([]));
    }
    if (answer !== answered) throw new Error(`the key of the agent is refused: ${answer}`);
  },
  seeds: () => [
    {
      name: 'calls with many arguments',
      sizes: { calls: 1, args: 100 },
      build: ({ calls, args }) =>
        connection(
          Array.from({ length: calls! }, (_, index) =>
            withBody(1, index + 1, `{"method":"listGroups","args":[${listed(args!, () => '{}')}]}`),
          ),
        ),
    },
    {
      name: 'a body with distinct names',
      sizes: { names: 100, nameLength: 4 },
      build: ({ names, nameLength }) =>
        connection([
          withBody(
            1,
            1,
            `{"method":"listGroups","args":[{${listed(names!, (index) => `"${String(index).padStart(nameLength!, 'n')}":1`)}}]}`,
          ),
        ]),
    },
    {
      name: 'objects with names that are marked',
      sizes: { objects: 1, names: 100 },
      build: ({ objects, names }) =>
        connection([
          withBody(
            1,
            1,
            `{"method":"listGroups","args":[${listed(objects!, (object) => `{${listed(names!, (name) => `"$$${object}_${name}":1`)}}`)}]}`,
          ),
        ]),
    },
    {
      name: 'createTopics: topics that exist only in the check',
      sizes: { topics: 10, configs: 1 },
      build: ({ topics, configs }) =>
        connection([
          withBody(
            1,
            1,
            `{"method":"createTopics","args":[[${listed(topics!, (topic) => `{"name":"t${topic}","partitionCount":1,"configs":{${listed(configs!, (config) => `"c${config}":"1"`)}}}`)}],{"validateOnly":true}]}`,
          ),
        ]),
    },
    ...Object.entries(listCalls).map(([method, entry]) => ({
      name: `${method}: entries`,
      sizes: { entries: 10 },
      build: ({ entries }: Sizes) =>
        connection([withBody(1, 1, `{"method":"${method}","args":[[${listed(entries!, entry)}]]}`)]),
    })),
    {
      name: 'alterConfigs: resources that are only checked',
      sizes: { resources: 10, changes: 1 },
      build: ({ resources, changes }) =>
        connection([
          withBody(
            1,
            1,
            `{"method":"alterConfigs","args":[[${listed(resources!, (resource) => `{"kind":"group","name":"g${resource}","replacesAll":false,"changes":[${listed(changes!, (change) => `{"name":"c${change}","operation":"set","value":"1"}`)}]}`)}],{"validateOnly":true}]}`,
          ),
        ]),
    },
    {
      name: 'fetchOffsets: partitions',
      sizes: { partitions: 10 },
      build: ({ partitions }) =>
        connection([
          withBody(
            1,
            1,
            `{"method":"fetchOffsets","args":[[{"groupId":"g","memberId":null,"memberEpoch":-1,"requireStable":false,"partitions":[${listed(partitions!, (partition) => `{"topicId":"t","partition":${partition}}`)}]}]]}`,
          ),
        ]),
    },
    {
      name: 'a nested body',
      sizes: { depth: 10 },
      build: ({ depth }) =>
        connection([withBody(1, 1, `{"method":"listGroups","args":[${nested(depth!)}]}`)]),
    },
    {
      name: 'an oversize frame',
      sizes: { bytes: 1_000 },
      build: ({ bytes }) => connection([withBody(1, 1, `"${'x'.repeat(bytes!)}"`)]),
    },
    {
      name: 'many small frames',
      sizes: { frames: 10 },
      build: ({ frames }) => connection(Array.from({ length: frames! }, () => encodeFrame('ping', 0))),
    },
    {
      name: 'columns',
      sizes: { columns: 10 },
      build: ({ columns }) =>
        connection([
          encodeFrame('call', 1, {
            method: 'listGroups',
            args: Array.from({ length: columns! }, () => new Float64Array(1)),
          }),
        ]),
    },
  ],
};

const acl = (index: number, any: string) =>
  `{"resourceType":"TOPIC","resourceName":"t${index}","patternType":"LITERAL","principal":"User:u","host":"*","operation":"${any}","permission":"ALLOW"}`;

/** Calls with one list that change nothing, and what its entries are. */
const listCalls: Readonly<Record<string, (index: number) => string>> = {
  describeGroups: (index) => `"g${index}"`,
  describeTransactions: (index) => `"t${index}"`,
  describeScramCredentials: (index) => `"u${index}"`,
  describeConfigs: (index) => `{"kind":"topic","name":"t${index}"}`,
  describeProducers: (index) => `{"topicId":"t","partition":${index}}`,
  findBatches: (index) => `{"topicId":"t","partition":${index},"offset":0,"bytesMax":1}`,
  findOffsets: (index) => `{"topicId":"t","partition":${index},"want":"first","timestampMs":0}`,
  deleteRecords: (index) => `{"topicId":"t","partition":${index},"offset":0}`,
  deleteTopics: (index) => `{"name":"none-${index}"}`,
  deleteAcls: (index) => acl(index, 'READ'),
  createAcls: (index) => acl(index, 'none'),
  logSizes: (index) => `"t${index}"`,
  unknownFiles: (index) => `"f${index}"`,
  forgetDeadFiles: (index) => `"f${index}"`,
  commitFiles: () => '{}',
};

/** A frame of one kind whose body is this text, which need not be what a client would send. */
function withBody(kind: number, id: number, body: string): Uint8Array {
  const head = Buffer.alloc(16);
  head[0] = kind;
  head[1] = 1;
  head.writeDoubleLE(id, 8);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** An upgrade to WebSocket, the first frame of an agent, these frames, and a ping. */
function connection(frames: readonly Uint8Array[]): Buffer {
  const upgrade = [
    `GET /api/v1/agent/connect?virtual_cluster_id=${clusterId} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-protocol: weir.agent.v1',
    `service-api-key: ${agentKey}`,
    '\r\n',
  ].join('\r\n');
  const hello = encodeFrame('hello', 0, { release: 'v830', clientId: 'cost', pending: new Float64Array(0) });
  return Buffer.concat([
    Buffer.from(upgrade),
    ...[hello, ...frames, encodeFrame('ping', 0)].flatMap((frame) => [
      messageHead(binary, frame.length),
      frame,
    ]),
  ]);
}

/** An input that is refused costs little, so the two have different names. */
function answerOf(received: Buffer, sent: Buffer): string | undefined {
  const head = received.toString('latin1', 0, 1024);
  const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1];
  if (status !== undefined && status !== '101') return status;
  let isClosed = false;
  let answers = 0;
  for (const { opcode, content } of messagesOf(received)) {
    if (opcode === closing) isClosed = true;
    else if (['result', 'failure', 'pong'].includes(frameKinds[content[0]!]!)) answers++;
  }
  if (isClosed) return 'closed';
  return answers >= askedBy(sent) ? answered : undefined;
}

/** How many calls and pings there are; of the last input it is remembered. */
function askedBy(sent: Buffer): number {
  if (last?.sent === sent) return last.asked;
  let asked = 0;
  for (const { content } of messagesOf(sent))
    if (['call', 'ping'].includes(frameKinds[content[0]!]!)) asked++;
  last = { sent, asked };
  return asked;
}

/** The whole messages behind the head of HTTP; those of clients are not masked in effect. */
function* messagesOf(stream: Buffer): Generator<{ readonly opcode: number; readonly content: Buffer }> {
  const headEnd = stream.indexOf('\r\n\r\n');
  if (headEnd < 0) return;
  let at = headEnd + 4;
  while (at + 2 <= stream.length) {
    const short = stream[at + 1]! & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const start = at + 2 + lengthBytes + ((stream[at + 1]! & 0x80) === 0 ? 0 : 4);
    if (start > stream.length) return;
    const length =
      lengthBytes === 8
        ? Number(stream.readBigUInt64BE(at + 2))
        : lengthBytes === 2
          ? stream.readUInt16BE(at + 2)
          : short;
    if (start + length > stream.length) return;
    yield { opcode: stream[at]!, content: stream.subarray(start, start + length) };
    at = start + length;
  }
}

/** The head of a message of a WebSocket whose mask changes nothing. */
function messageHead(opcode: number, length: number): Buffer {
  const mask = [0, 0, 0, 0];
  if (length < 126) return Buffer.from([opcode, 0x80 | length, ...mask]);
  if (length < 65_536) return Buffer.from([opcode, 0x80 | 126, length >> 8, length & 255, ...mask]);
  const head = Buffer.alloc(10);
  head[0] = opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.from(mask)]);
}
