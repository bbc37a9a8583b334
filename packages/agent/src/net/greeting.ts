import type { Socket } from 'node:net';
import type { Clock, Log } from '@weir/core';
import { zonesByAddress } from '../placement/address-zones.ts';
import type { PrincipalOf } from '../security/principals.ts';
import {
  type ProxyProtocolOptions,
  ProxyRefusal,
  readProxiedClient,
} from '../security/proxy-protocol/proxied-client.ts';
import { bareAddress } from '../security/session/client-host.ts';
import { type ClientSession, openSession } from '../security/session/client-session.ts';
import { type SecuredClient, type TlsAcceptor, TlsRefusal } from '../security/tls/tls-acceptor.ts';
import { type Intake, takeOver } from './intake.ts';
import type { CloseReason } from './listener-metrics.ts';

interface GreetingOptions {
  /** Without it a PROXY header is taken for a request, and for a malformed one. */
  readonly proxyProtocol: ProxyProtocolOptions | undefined;
  /** Without it connections are plain. */
  readonly tls: TlsAcceptor | undefined;
  /** Whether the certificates of clients are written into the log. */
  readonly logsCertificates: boolean;
  readonly principalOf: PrincipalOf;
  /** Asked as soon as it is known where a client is: how long it is held before it is closed; 0 lets it in. */
  readonly admit: (remoteAddress: string) => number;
  readonly greetingMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What comes of a new connection. */
export type Greeted =
  | { readonly kind: 'client'; readonly intake: Intake; readonly session: ClientSession }
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
 * What happens on a connection before its first request:
 *
 * ```
 *  accepted ─► PROXY header ─► quota of connections ─► TLS ─► session
 * ```
 *
 * The header comes first because everything else is about the client and not about the proxy. With neither it takes no time at all,
 * and the answer is there at once.
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
    // What breaks is told by its end.
    accepted.on('error', () => {});
    return this.#within(address.remoteAddress, this.#slowly(accepted, address));
  }

  #plain(accepted: Socket, address: Address): Greeted {
    const heldMs = this.#options.admit(address.remoteAddress);
    if (heldMs > 0) return { kind: 'held', forMs: heldMs };
    return {
      kind: 'client',
      intake: takeOver(accepted),
      session: openSession({ ...address, principalOf: this.#options.principalOf }),
    };
  }

  async #slowly(accepted: Socket, own: Address): Promise<Greeted> {
    const { proxyProtocol, tls, admit } = this.#options;
    // Whoever may write the header says where it is from and who it is.
    if (proxyProtocol !== undefined && !this.#isTrusted(own.remoteAddress)) {
      throw new ProxyRefusal('the peer is no proxy of -kafkaProxyProtocolTrustedCIDRs');
    }
    const proxied =
      proxyProtocol === undefined ? undefined : await readProxiedClient(accepted, proxyProtocol);
    const { source } = proxied ?? {};
    const address = source === undefined ? own : { remoteAddress: source.address, remotePort: source.port };
    const heldMs = admit(address.remoteAddress);
    if (heldMs > 0) return { kind: 'held', forMs: heldMs };
    const secured = await tls?.letIn(accepted);
    if (secured?.certificate !== undefined) this.#logCertificate(secured, address);
    return {
      kind: 'client',
      intake: takeOver(secured?.socket ?? accepted),
      session: openSession({
        ...address,
        isEncrypted: secured !== undefined,
        user: proxied?.username ?? secured?.username,
        principalOf: this.#principalsBehind(proxied?.username),
      }),
    };
  }

  /** A name that only a proxy vouches for makes nobody a superuser, unless the operator says so. */
  #principalsBehind(named: string | undefined): PrincipalOf {
    const { principalOf, proxyProtocol } = this.#options;
    if (named === undefined || proxyProtocol?.allowsSuperusers === true) return principalOf;
    return (username) => {
      const principal = principalOf(username);
      return username === named && principal.isSuperuser ? { ...principal, isSuperuser: false } : principal;
    };
  }

  /** Settles in any case, and in time. */
  #within(peer: string, greeted: Promise<Greeted>): Promise<Greeted> {
    const { clock, greetingMs } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(greetingMs, () => {
        const problem = `the client did not say who it is within ${greetingMs} ms`;
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

  #logCertificate({ certificate, username }: SecuredClient, { remoteAddress }: Address): void {
    if (!this.#options.logsCertificates) return;
    const { serialNumber, validFromDate, validToDate } = certificate!;
    this.#options.log.info('verified client certificate', {
      peer: remoteAddress,
      user: username,
      serialNumber,
      validFrom: validFromDate.toISOString(),
      validTo: validToDate.toISOString(),
    });
  }
}

/** IPv4 as such, on a listener for both families too. */
function addressOf({ remoteAddress = '', remotePort = 0 }: Socket): Address {
  return { remoteAddress: bareAddress(remoteAddress), remotePort };
}

function refusalOf(error: unknown, peer: string): Greeted {
  const problem = error instanceof Error ? error.message : String(error);
  if (error instanceof TlsRefusal || error instanceof ProxyRefusal) {
    return { kind: 'refused', reason: error.reason, problem, peer };
  }
  return { kind: 'refused', reason: 'failed', problem, peer };
}
