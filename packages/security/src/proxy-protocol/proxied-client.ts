import type { Socket } from 'node:net';
import { problemOfPrincipalName } from '@weir/core';
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts';

export interface ProxyProtocolOptions {
  /**
   * CIDR blocks of trusted proxies, such as `10.0.0.0/16`. Connections from any other peer are closed before anything
   * is read.
   */
  readonly trustedCidrs: readonly string[];
  /** Whether a user named by a proxy may be a superuser. If not, ACLs apply to such a user. */
  readonly allowsSuperusers: boolean;
  /** Type of the TLV field that names the user, 0xE0 to 0xEF. If absent, the header names no user. */
  readonly principalType: number | undefined;
}

/** What the PROXY header says about the client. */
interface ProxiedClient {
  /** `undefined` for a LOCAL command or an unspecified source: then the address of the connection applies. */
  readonly source: ProxyHeader['source'];
  readonly username: string | undefined;
}

/**
 * Why a connection was refused: an invalid header (`proxyHeader`), or the peer closed it without sending anything
 * (`peer`), as health checks do.
 */
export class ProxyRefusal extends Error {
  readonly reason: 'proxyHeader' | 'peer';

  constructor(message: string, reason: ProxyRefusal['reason'] = 'proxyHeader') {
    super(message);
    this.reason = reason;
  }
}

const kind = 'User:';

/**
 * Reads the PROXY header of a connection and unshifts the bytes after it. Rejects with a `ProxyRefusal`; the caller
 * closes the connection and enforces a timeout.
 */
export async function readProxiedClient(
  socket: Socket,
  options: Pick<ProxyProtocolOptions, 'principalType'>,
): Promise<ProxiedClient> {
  const header = await readHeader(socket);
  const user = userIn(header, options);
  if ('problem' in user) throw new ProxyRefusal(user.problem);
  return { source: header.source, username: user.username };
}

function readHeader(socket: Socket): Promise<ProxyHeader> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    function end(): void {
      socket.off('readable', onReadable);
      socket.off('end', onEnd);
      socket.off('close', onEnd);
    }
    function onEnd(): void {
      end();
      const reason = received.length === 0 ? 'peer' : 'proxyHeader';
      reject(new ProxyRefusal('connection closed before the end of the PROXY header', reason));
    }
    function onReadable(): void {
      for (;;) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) return;
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const parsed = parseProxyHeader(received);
        if (parsed.kind === 'incomplete') continue;
        end();
        if (parsed.kind === 'malformed') {
          reject(new ProxyRefusal(parsed.problem));
          return;
        }
        const rest = received.subarray(parsed.bytes);
        if (rest.length > 0) socket.unshift(rest);
        resolve(parsed.header);
        return;
      }
    }
    socket.on('readable', onReadable);
    socket.on('end', onEnd);
    socket.on('close', onEnd);
  });
}

/** Returns the user that the header names. A LOCAL command names no user. */
export function userIn(
  { isLocal, fields }: ProxyHeader,
  { principalType }: Pick<ProxyProtocolOptions, 'principalType'>,
): { readonly username: string | undefined } | { readonly problem: string } {
  if (principalType === undefined || isLocal) return { username: undefined };
  const type = `0x${principalType.toString(16).toUpperCase()}`;
  const value = fields.get(principalType);
  if (value === undefined) return { problem: `missing TLV ${type} with the principal` };
  const text = value.toString();
  if (!Buffer.from(text).equals(value)) return { problem: `TLV ${type} is not UTF-8` };
  if (!text.startsWith(kind)) return { problem: `principal in TLV ${type} does not start with ${kind}` };
  const username = text.slice(kind.length);
  const problem = problemOfPrincipalName(username);
  return problem === undefined ? { username } : { problem: `principal name in TLV ${type} ${problem}` };
}
