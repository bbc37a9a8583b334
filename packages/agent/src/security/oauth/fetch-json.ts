import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, caps } from '@weir/core';

/** Asks for a document of JSON. */
export type FetchJson = (url: string, stop: AbortSignal) => Promise<unknown>;

const timeoutMs = 10_000;

/**
 * Asks over HTTPS, or over HTTP on this machine: what comes decides whose tokens are believed. No redirect is followed, since nobody knows
 * where it leads.
 */
export function fetchJsonOver(clock: Clock): FetchJson {
  return async (url, stop) => {
    const place = placeOf(url);
    if (!isSafe(url)) throw new Error(`${place} is not plain https, and so anybody could answer`);
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, stop]);
      return JSON.parse(await bodyOf(await answerOf(url, signal))) as unknown;
    } catch (error) {
      const problem = late.signal.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message;
      throw new Error(`${place}: ${problem}`);
    } finally {
      cancel();
    }
  };
}

/** Whether nobody on the way can change what is answered. */
export function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** An address as it may stand in a log: without user, password and query. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'an address that cannot be read';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

function answerOf(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    // No agent: it is asked once an hour, and no connection stays behind.
    const options = { headers: { accept: 'application/json' }, signal, agent: false };
    send(url, options, resolve).on('error', reject).end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the answer has status ${response.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > caps.issuerAnswerBytesMax) {
      throw new Error(`the answer is longer than ${caps.issuerAnswerBytesMax} bytes`);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
