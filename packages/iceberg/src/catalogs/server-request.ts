/** One request to a catalog server, and what is known of its effect when no answer comes. */
import type { LookupFunction } from 'node:net';
import { type Clock, Failure } from '@weir/core';
import { httpExchange, withinTime } from '@weir/http/client';
import { icebergLimits } from '../limits.ts';

export interface ServerOptions {
  readonly clock: Clock;
  /** Decides which hosts may be connected to, or throws one line. Absent for all. */
  readonly lookupFor?: ((host: string, port: number) => LookupFunction) | undefined;
  /** The certificate authority, in PEM, if it is not a public one. */
  readonly ca?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A request as it is sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

/** The request may have reached the server, and its effect is not known. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

const defaultTimeoutMs = 60_000;

/** Throws `AnswerLost` if the server may have got the request, and a `Failure` if it has not. */
export async function sendRequest(
  { url, method, headers, body }: OutgoingRequest,
  { clock, lookupFor, ca, timeoutMs = defaultTimeoutMs }: ServerOptions,
): Promise<ServerAnswer> {
  const lookup = lookupFor?.(url.hostname.replace(/^\[(.*)\]$/, '$1'), portOf(url));
  let isConnected = false;
  const onConnected = () => {
    isConnected = true;
  };
  try {
    return await withinTime({ clock, timeoutMs, stop: new AbortController().signal }, (signal) =>
      httpExchange({ url, method, headers, body, signal, lookup, ca, onConnected }, async (answer) => ({
        status: answer.status,
        text: await answer.text(icebergLimits.tableMetadataBytesMax),
      })),
    );
  } catch (error) {
    const message = `${url.origin}: ${(error as Error).message}`;
    throw isConnected
      ? new AnswerLost(message, { cause: error })
      : new Failure(`${message}; is the catalog reachable?`, { cause: error });
  }
}

function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** The address of a path below another, which may or may not end with a slash. */
export function urlBelow({ href }: URL, segments: readonly string[]): URL {
  return new URL(`${href.replace(/\/+$/, '')}/${segments.map(encodeURIComponent).join('/')}`);
}

/** A message of a server, as a part of one line. */
export function shownMessage(message: unknown): string {
  return String(message ?? '')
    .slice(0, messageCharsMax)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

const messageCharsMax = 500;
