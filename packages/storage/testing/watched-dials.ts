import { Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Where clouds serve the identity of a machine or a container. */
const metadataHosts: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'metadata.google.internal',
  'metadata',
]);

export interface WatchedDials {
  /** Every host that this process has tried to reach, by name or address. */
  readonly hosts: readonly string[];
  /** Those among them that are metadata services of clouds. */
  metadataServices(): readonly string[];
}

/**
 * Watches every TCP connection that this process opens until the test ends, whichever library opens it. Connections to
 * metadata services are not made: they fail as if nothing listened there.
 */
export function watchDials(t: TestContext): WatchedDials {
  const hosts: string[] = [];
  const { connect } = Socket.prototype;
  t.mock.method(Socket.prototype, 'connect', function (this: Socket, ...args: unknown[]) {
    const host = hostIn(args);
    if (host !== undefined) hosts.push(host);
    if (host !== undefined && metadataHosts.has(host)) {
      const error = Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED' });
      return this.destroy(error);
    }
    return (connect as (...args: unknown[]) => Socket).apply(this, args);
  });
  return { hosts, metadataServices: () => hosts.filter((host) => metadataHosts.has(host)) };
}

/**
 * The host of `connect(options)` or `connect(port, host)`, or of the list that Node makes of either before it comes
 * here.
 */
function hostIn(args: readonly unknown[]): string | undefined {
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as readonly unknown[];
  if (typeof first === 'object' && first !== null) {
    const { host, path } = first as { readonly host?: string | null; readonly path?: string | null };
    return path === undefined || path === null ? (host ?? 'localhost') : undefined;
  }
  if (typeof first === 'string' && Number.isNaN(Number(first))) return undefined;
  return typeof second === 'string' ? second : 'localhost';
}
