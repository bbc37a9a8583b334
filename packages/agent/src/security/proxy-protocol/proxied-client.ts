import type { Socket } from 'node:net';
import { coreLimits } from '@weir/core';
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts';

export interface ProxyProtocolOptions {
  /** The addresses of proxies that are believed, as blocks such as `10.0.0.0/16`. Any other peer is turned away unheard. */
  readonly trustedCidrs: readonly string[];
  /** Whether whom a proxy names may be a superuser. Otherwise rules bind whoever comes so. */
  readonly allowsSuperusers: boolean;
  /** The type of the field that names the user, 0xE0 to 0xEF; without it nobody is named. */
  readonly principalType: number | undefined;
}

/** What a proxy has said of the client that it connects. */
interface ProxiedClient {
  /** `undefined` when the proxy speaks for itself or does not say: then the connection's own address counts. */
  readonly source: ProxyHeader['source'];
  readonly username: string | undefined;
}

/** Why a connection was not let in: what it said, or that it left without a word, as those do that look whether we are there. */
export class ProxyRefusal extends Error {
  readonly reason: 'proxyHeader' | 'peer';

  constructor(message: string, reason: ProxyRefusal['reason'] = 'proxyHeader') {
    super(message);
    this.reason = reason;
  }
}

const kind = 'User:';

/**
 * Reads the PROXY header in front of a connection and puts back what comes behind it. Rejects with a `ProxyRefusal`; the
 * connection is the caller's to close. How long it may take is up to the caller too.
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
      reject(new ProxyRefusal('the connection ended before its PROXY header did', reason));
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

/** A proxy that speaks for itself names nobody, and is nobody. */
export function userIn(
  { isLocal, fields }: ProxyHeader,
  { principalType }: Pick<ProxyProtocolOptions, 'principalType'>,
): { readonly username: string | undefined } | { readonly problem: string } {
  if (principalType === undefined || isLocal) return { username: undefined };
  const type = `0x${principalType.toString(16).toUpperCase()}`;
  const value = fields.get(principalType);
  if (value === undefined) return { problem: `no field of the type ${type}, which names the principal` };
  const text = value.toString();
  if (!Buffer.from(text).equals(value)) return { problem: `the field ${type} is not written in UTF-8` };
  if (!text.startsWith(kind))
    return { problem: `the principal in the field ${type} does not start with ${kind}` };
  const username = text.slice(kind.length);
  if (username === '' || username.length > coreLimits.principalNameCharsMax) {
    return {
      problem: `the principal in the field ${type} has no name, or one of more than ${coreLimits.principalNameCharsMax} characters`,
    };
  }
  return { username };
}
