import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@weir/core';
import type { OutboundAccess } from './outbound-access.ts';
import type { TlsOptions } from './tls-fields.ts';

interface SocketOptions {
  readonly host: string;
  readonly port: number;
  /** Absent for a connection without TLS. */
  readonly tls: TlsOptions | undefined;
  readonly outbound: OutboundAccess;
  readonly clock: Clock;
  readonly connectMsMax: number;
  /** For errors. */
  readonly serverName: string;
}

/** Connects to an address that the operator allows. */
export async function openSocket({ host, port, tls, outbound, ...timing }: SocketOptions): Promise<Socket> {
  // A host that is not allowed throws here.
  const lookup = outbound.lookupFor(host, port);
  const options = { host, port, lookup, noDelay: true, keepAlive: true };
  return tls === undefined
    ? opened(connectPlain(options), 'connect', timing)
    : opened(connectTls({ ...options, ...tls, ...namedAs(host) }), 'secureConnect', timing);
}

/** Goes on with TLS on a connection that began without. */
export function withTls(
  socket: Socket,
  {
    host,
    tls,
    ...timing
  }: Pick<SocketOptions, 'host' | 'clock' | 'connectMsMax' | 'serverName'> & {
    readonly tls: TlsOptions;
  },
): Promise<Socket> {
  return opened(connectTls({ socket, host, ...tls, ...namedAs(host) }), 'secureConnect', timing);
}

function opened<Opened extends Socket>(
  socket: Opened,
  event: 'connect' | 'secureConnect',
  { clock, connectMsMax, serverName }: Pick<SocketOptions, 'clock' | 'connectMsMax' | 'serverName'>,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(connectMsMax, () =>
      socket.destroy(new Error(`${serverName} does not answer`)),
    );
    const onError = (error: Error) => {
      cancel();
      reject(error);
    };
    const onClose = () => onError(new Error(`${serverName} closed the connection`));
    socket.once('error', onError);
    socket.once('close', onClose);
    socket.once(event, () => {
      cancel();
      socket.off('error', onError);
      socket.off('close', onClose);
      resolve(socket);
    });
  });
}

/** A certificate is for a name; there is none for an address. */
function namedAs(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}
