/** Where a broker listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `broker-1:9092`, or `[::1]:9092`. */
export function printAddress({ host, port }: Address): string {
  // A host name has no colon.
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
