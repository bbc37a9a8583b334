import type { Socket } from 'node:net';
import type { Clock } from '@weir/core';
import type { ProxyProtocolOptions } from '@weir/security';
import {
  bareAddress,
  ProxyRefusal,
  readProxiedClient,
  type TlsAcceptor,
  TlsRefusal,
} from '@weir/security/connections';
import { zonesByAddress } from '../placement/address-zones.ts';
import type { GreetedClient } from './greeted-client.ts';
import { type Intake, takeOver } from './intake.ts';
import type { CloseReason } from './listener-metrics.ts';

interface GreetingOptions {
  /** If absent, a PROXY header is taken for a request, and rejected as malformed. */
  readonly proxyProtocol: ProxyProtocolOptions | undefined;
  /** If absent, connections are plain text. */
  readonly tls: TlsAcceptor | undefined;
  /**
   * Called as soon as the client's address is known. Returns how long the connection is held before it is closed; 0
   * accepts it.
   */
  readonly admit: Admit<number>;
  readonly greetingMs: number;
  readonly clock: Clock;
}

type Admit<Answer> = (remoteAddress: string) => Answer;

/** Outcome of a new connection. */
export type Greeted =
  | { readonly kind: 'client'; readonly intake: Intake; readonly client: GreetedClient }
  | { readonly kind: 'held'; readonly forMs: number }
  | {
      readonly kind: 'refused';
      readonly reason: CloseReason;
      readonly problem: string;
      readonly peer: string;
    };

interface Address {
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/**
 * Handles a connection before its first request:
 *
 * ```
 *  accepted ─► PROXY header ─► quota of connections ─► TLS ─► client
 * ```
 *
 * The header comes first because all other steps are about the client and not about the proxy. Without PROXY protocol
 * and TLS the outcome is returned synchronously.
 */
export class Greeting {
  readonly #options: GreetingOptions;
  readonly #isTrusted: (address: string) => boolean;

  constructor(options: GreetingOptions) {
    this.#options = options;
    const blockOf = zonesByAddress([{ zone: 'proxies', cidrs: options.proxyProtocol?.trustedCidrs ?? [] }]);
    this.#isTrusted = (address) => blockOf(address) !== undefined;
  }

  greet(accepted: Socket): Greeted | Promise<Greeted> {
    const { proxyProtocol, tls } = this.#options;
    const address = addressOf(accepted);
    if (proxyProtocol === undefined && tls === undefined) return this.#plain(accepted, address);
    return this.greetSlowly(accepted, this.#options.admit);
  }

  /** Like `greet`, with an answer about the quota that may take its time. */
  greetSlowly(accepted: Socket, admit: Admit<number | Promise<number>>): Promise<Greeted> {
    const address = addressOf(accepted);
    // The close event reports a broken socket.
    accepted.on('error', () => {});
    return this.#within(address.remoteAddress, this.#slowly(accepted, address, admit));
  }

  #plain(accepted: Socket, address: Address): Greeted {
    const heldMs = this.#options.admit(address.remoteAddress);
    if (heldMs > 0) return { kind: 'held', forMs: heldMs };
    return { kind: 'client', intake: takeOver(accepted), client: address };
  }

  async #slowly(accepted: Socket, own: Address, admit: Admit<number | Promise<number>>): Promise<Greeted> {
    const { proxyProtocol, tls } = this.#options;
    // The sender of the header decides the address and identity of the client, so it must be trusted.
    if (proxyProtocol !== undefined && !this.#isTrusted(own.remoteAddress)) {
      throw new ProxyRefusal('peer is not in -kafkaProxyProtocolTrustedCIDRs');
    }
    const proxied =
      proxyProtocol === undefined ? undefined : await readProxiedClient(accepted, proxyProtocol);
    const { source } = proxied ?? {};
    const address = source === undefined ? own : { remoteAddress: source.address, remotePort: source.port };
    const heldMs = await admit(address.remoteAddress);
    if (heldMs > 0) return { kind: 'held', forMs: heldMs };
    const secured = await tls?.handshake(accepted);
    return {
      kind: 'client',
      intake: takeOver(secured?.socket ?? accepted),
      client: {
        ...address,
        isEncrypted: secured !== undefined,
        proxiedUser: proxied?.username,
        certificate: secured?.certificate,
        certificateUser: secured?.username,
      },
    };
  }

  /** Always resolves, within the time limit. */
  #within(peer: string, greeted: Promise<Greeted>): Promise<Greeted> {
    const { clock, greetingMs } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(greetingMs, () => {
        const problem = `no PROXY header or TLS handshake within ${greetingMs} ms`;
        resolve({ kind: 'refused', reason: 'slow', problem, peer });
      });
      greeted
        .catch((error: unknown) => refusalOf(error, peer))
        .then((outcome) => {
          cancel();
          resolve(outcome);
        });
    });
  }
}

/** Returns IPv4 addresses in IPv4 form, also on a dual-stack listener. */
export function addressOf({ remoteAddress = '', remotePort = 0 }: Socket): Address {
  return { remoteAddress: bareAddress(remoteAddress), remotePort };
}

function refusalOf(error: unknown, peer: string): Greeted {
  const problem = error instanceof Error ? error.message : String(error);
  if (error instanceof TlsRefusal || error instanceof ProxyRefusal) {
    return { kind: 'refused', reason: error.reason, problem, peer };
  }
  return { kind: 'refused', reason: 'failed', problem, peer };
}
