import { isIPv6 } from 'node:net';

/** Where a broker listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `broker-1:9092`, or `[::1]:9092`. */
export function printAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
