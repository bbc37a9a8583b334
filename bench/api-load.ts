import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '@weir/core';

/** API clients in a thread of their own. Each has a connection, a key and one call in flight. */

export interface ApiLoad {
  readonly port: number;
  readonly keys: readonly string[];
  readonly connections: number;
  readonly calls: number;
  /** Calls to make, in turn. */
  readonly bodies: readonly { readonly name: string; readonly text: string }[];
  /** Headers to send in addition to the key. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiLoadResult {
  readonly tookMs: number;
  readonly latenciesMs: readonly number[];
  /** CPU time of the client thread. */
  readonly clientCpuMs: number;
}

const { port, keys, connections, calls, bodies, headers: further = {} } = workerData as ApiLoad;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const latenciesMs: number[] = [];
let begun = 0;

async function callInTurn(client: number): Promise<void> {
  const key = keys[client % keys.length]!;
  while (begun < calls) {
    const body = bodies[begun++ % bodies.length]!;
    const startMs = systemClock.monotonicMs();
    await callOnce(key, body);
    latenciesMs.push(systemClock.monotonicMs() - startMs);
  }
}

function callOnce(key: string, { name, text }: ApiLoad['bodies'][number]): Promise<void> {
  const headers = {
    ...further,
    'service-api-key': key,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      agent,
      method: 'POST',
      path: `/api/v1/${name}`,
      headers,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      if (response.statusCode !== 200) reject(new Error(`${name}: status ${response.statusCode}`));
      response.on('end', resolve);
    });
    sent.end(text);
  });
}

const startMs = systemClock.monotonicMs();
const cpuBefore = process.threadCpuUsage();
await Promise.all(Array.from({ length: connections }, (_, client) => callInTurn(client)));
const cpu = process.threadCpuUsage(cpuBefore);
const result: ApiLoadResult = {
  tookMs: systemClock.monotonicMs() - startMs,
  latenciesMs,
  clientCpuMs: (cpu.user + cpu.system) / 1000,
};
parentPort?.postMessage(result);
agent.destroy();
