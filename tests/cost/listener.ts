import { connect } from 'node:net';
import { systemClock } from '@weir/core';
import type { Seed } from './search.ts';
import type { Addresses } from './served-process.ts';

/** A port of the process, and hostile inputs for it. */
export interface CostListener {
  readonly name: string;
  /** Makes what the inputs need. */
  prepare?(addresses: Addresses): Promise<void>;
  seeds(addresses: Addresses): readonly Seed[];
  portOf(addresses: Addresses): number;
  /** How many bytes one input may have. */
  readonly bytesMax: number;
  /** What the server answered to what was sent, once that is complete; if absent, it ends the connection. */
  answerOf?(received: Buffer, sent: Buffer): string | undefined;
}

/** Headers of a request that prepares: one that was kept may be ended by the server just then. */
export const ownConnection = { connection: 'close' };

/** An input whose answer takes longer is left alone: it may wait for something. */
const answerMsMax = 3_000;

/**
 * Sends bytes over a connection of their own, and waits for the answer or the end of the connection. Returns the answer
 * in a word: the status over HTTP.
 */
export function sendTo(listener: CostListener, addresses: Addresses, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(listener.portOf(addresses), '127.0.0.1');
    const end = (answer?: string) => {
      cancel();
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d+)/.exec(received.toString('latin1', 0, 16))?.[1];
      resolve(answer ?? status ?? (received.length > 0 ? 'part of an answer' : 'none'));
    };
    const cancel = systemClock.after(answerMsMax, () => end('late'));
    let received = Buffer.alloc(0);
    socket.on('error', () => end()).on('close', () => end());
    socket.on('data', (chunk) => {
      if (received.length < 16 || listener.answerOf !== undefined)
        received = Buffer.concat([received, chunk]);
      const answer = listener.answerOf?.(received, bytes);
      if (answer !== undefined) end(answer);
    });
    socket.write(bytes);
  });
}

/** A request over HTTP after which the connection ends. */
export function httpRequest(
  target: string,
  body: Buffer | string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const content = body === undefined ? undefined : Buffer.from(body);
  const all = {
    host: '127.0.0.1',
    connection: 'close',
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': `${content.length}` }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${content === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), content ?? Buffer.alloc(0)]);
}

/** `count` texts, as a list without brackets. */
export function listed(count: number, of: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => of(index)).join();
}

/** A value below `depth` opening brackets. */
export function nested(depth: number, open = '[', close = ']', inner = '1'): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}
