import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom, systemClock } from '@weir/core';
import { idOf, type RegistrySize, subjectOf, textOf } from './schemas.ts';

/**
 * Clients of a registry in a thread of their own, each with a connection and one request in flight. Requests are due at
 * a fixed rate, and latencies count from then. The clients write HTTP themselves, so that they take little of the
 * machine.
 */
export interface RegistryLoad {
  readonly port: number;
  readonly size: RegistrySize;
  readonly kind: 'byId' | 'lookUp' | 'register';
  readonly connections: number;
  readonly ratePerSecond: number;
  readonly durationMs: number;
  /** Registrations add this version to one subject after the other. */
  readonly newVersion: number;
}

export interface RegistryLoadResult {
  readonly latenciesMs: readonly number[];
  readonly tookMs: number;
}

const headEnd = '\r\n\r\n';
const tickMs = 1;

const load = workerData as RegistryLoad;
const random = seededRandom(load.durationMs);
let nextSubject = 0;

function requestText(): string {
  const { size, kind, newVersion } = load;
  if (kind === 'register') {
    const subject = nextSubject++ % size.subjects;
    const version = newVersion + Math.floor((nextSubject - 1) / size.subjects);
    return post(`/subjects/${subjectOf(subject)}/versions`, textOf(subject, version));
  }
  const subject = random.below(size.subjects);
  const version = 1 + random.below(size.versions);
  if (kind === 'lookUp') return post(`/subjects/${subjectOf(subject)}`, textOf(subject, version));
  return `GET /schemas/ids/${idOf(size, subject, version)} HTTP/1.1\r\nhost: bench${headEnd}`;
}

function post(path: string, schema: string): string {
  const body = JSON.stringify({ schema });
  const type = 'application/vnd.schemaregistry.v1+json';
  return `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}${headEnd}${body}`;
}

/** Sends one request and waits for the whole answer. */
async function exchange(socket: Socket): Promise<void> {
  socket.write(requestText(), 'latin1');
  let text = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [string];
    text += chunk;
    const end = text.indexOf(headEnd);
    if (end < 0) continue;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]);
    if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(`${load.kind}: ${text.slice(0, 1_000)}`);
    if (text.length >= end + headEnd.length + length) return;
  }
}

async function run(): Promise<RegistryLoadResult> {
  const { port, connections, ratePerSecond, durationMs } = load;
  const sockets = await Promise.all(Array.from({ length: connections }, () => opened(port)));
  const free = [...sockets];
  const due: number[] = [];
  const latenciesMs: number[] = [];
  const startMs = systemClock.monotonicMs();
  const total = Math.max(1, Math.floor((ratePerSecond * durationMs) / 1000));
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const serveDue = () => {
    while (due.length > 0 && free.length > 0) {
      const dueMs = due.shift()!;
      const socket = free.pop()!;
      exchange(socket).then(() => {
        latenciesMs.push(systemClock.monotonicMs() - dueMs);
        free.push(socket);
        if (latenciesMs.length === total) resolve();
        else serveDue();
      }, reject);
    }
  };
  let begun = 0;
  const tick = () => {
    const nowMs = systemClock.monotonicMs();
    for (; begun < total; begun++) {
      const dueMs = startMs + (begun * 1000) / ratePerSecond;
      if (dueMs > nowMs) break;
      due.push(dueMs);
    }
    serveDue();
    if (begun < total) systemClock.after(tickMs, tick);
  };
  tick();
  await done;
  for (const socket of sockets) socket.destroy();
  return { latenciesMs, tookMs: systemClock.monotonicMs() - startMs };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

parentPort!.postMessage(await run());
