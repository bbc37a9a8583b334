import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, caps } from '@weir/core';
import { isSafeAddress, placeOf } from './address.ts';

/** Asks for a document of JSON. */
export type FetchJson = (url: string, stop: AbortSignal) => Promise<unknown>;

const timeoutMs = 10_000;

/**
 * Asks for a bounded time and for an answer of bounded length. No redirect is followed, since nobody knows where it leads.
 *
 * No proxy either: the one that agents may be given by -httpProxy is for requests to the control plane, and all others go directly.
 */
export function fetchJsonOver(clock: Clock): FetchJson {
  return async (url, stop) => {
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, stop]);
      return JSON.parse(await bodyOf(await answerOf(url, signal))) as unknown;
    } catch (error) {
      const problem = late.signal.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message;
      throw new Error(`${placeOf(url)}: ${problem}`);
    } finally {
      cancel();
    }
  };
}

/** Asks nobody in whose place somebody else could answer, whoever has named the address. */
export function onlyAtSafeAddresses(
  fetchJson: FetchJson,
  rule: { readonly allowsLoopbackHttp: boolean },
): FetchJson {
  return async (url, stop) => {
    if (!isSafeAddress(url, rule)) {
      throw new Error(`${placeOf(url)} is not plain https, and so anybody could answer`);
    }
    return await fetchJson(url, stop);
  };
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
