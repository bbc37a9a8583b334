import { encodeFrame } from '../../../packages/rpc/src/frames/frame.ts';
import { type CostListener, listed, nested } from '../listener.ts';
import type { Addresses } from '../served-process.ts';
import { clusterOf } from './api.ts';

let clusterId = '';
let agentKey = '';

/** The port to which agents connect, with a key of an agent. */
export const rpcListener: CostListener = {
  name: 'rpc',
  bytesMax: 4 << 20,
  portOf: ({ controlPlane }) => controlPlane,
  async prepare(addresses: Addresses) {
    clusterId = await clusterOf(addresses);
    const grant = { principal_kind: 'agent', resource_kind: 'virtual_cluster', resource_id: clusterId };
    const response = await fetch(`http://127.0.0.1:${addresses.controlPlane}/api/v1/create_api_key`, {
      method: 'POST',
      headers: { 'service-api-key': addresses.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'cost', access_grants: [grant] }),
    });
    const made = (await response.json()) as {
      readonly key?: string;
      readonly api_key?: { readonly key?: string };
    };
    agentKey = made.key ?? made.api_key?.key ?? '';
    if (agentKey === '')
      throw new Error(`there is no key of an agent: ${JSON.stringify(made).slice(0, 300)}`);
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
      build: ({ frames }) =>
        connection(Array.from({ length: frames! }, (_, index) => encodeFrame('ping', index + 1))),
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

/** A frame of one kind whose body is this text, which need not be what a client would send. */
function withBody(kind: number, id: number, body: string): Uint8Array {
  const head = Buffer.alloc(16);
  head[0] = kind;
  head[1] = 1;
  head.writeDoubleLE(id, 8);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** An upgrade to WebSocket, the first frame of an agent, these frames, and the end of the connection. */
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
    ...[hello, ...frames].flatMap((frame) => [messageHead(0x82, frame.length), frame]),
    messageHead(0x88, 0),
  ]);
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
