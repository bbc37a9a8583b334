import { isIPv6 } from 'node:net';

/** Where a broker listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A host that may carry its port, as other tools write it: `broker-1:9092`. The port behind the host goes before the other. */
export function readAddress(text: string, port: number): Address {
  const [, host, given] = /^([^:]+):(\d{1,5})$/.exec(text) ?? [];
  return host === undefined ? { host: text, port } : { host, port: Number(given) };
}

/** `broker-1:9092`, or `[::1]:9092`. */
export function printAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
