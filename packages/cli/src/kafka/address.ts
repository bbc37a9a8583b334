import { isIPv6 } from 'node:net';

/** Where a broker listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Reads a host that may include its port, as other tools write it: `broker-1:9092`, `[::1]:9092`. A port in the text
 * takes precedence over `port`. Returns `undefined` if the port is invalid.
 */
export function readAddress(text: string, port: number): Address | undefined {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text);
  const [, host = text, given] = bracketed ?? /^([^:]+):(\d+)$/.exec(text) ?? [];
  if (given === undefined) return { host, port };
  return Number(given) >= 1 && Number(given) <= 65_535 ? { host, port: Number(given) } : undefined;
}

/** `broker-1:9092`, or `[::1]:9092`. */
export function printAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
