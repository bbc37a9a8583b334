import { Failure } from '@weir/core';
import { type Address, printAddress } from './address.ts';

/** Connection failures that a user can do something about. */
export type ConnectionProblem =
  | 'unknown host'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'closed after TLS'
  | 'login wanted'
  | 'server speaks TLS'
  | 'server speaks no TLS'
  | 'untrusted certificate'
  | 'wrong certificate'
  | 'expired certificate'
  | 'no common TLS'
  | 'handshake refused'
  | 'client certificate refused'
  | 'not Kafka'
  | 'stopped'
  | 'other';

/** What to do about each of them. */
const advice: Readonly<Record<ConnectionProblem, string>> = {
  'unknown host':
    'check the spelling; names that the cluster advertises must resolve on this machine too, or the cluster must ' +
    'advertise others',
  refused:
    'nothing listens on that port; check that the broker is running and that the port is that ' +
    'of its Kafka listener',
  unreachable: 'no route from this machine; check the network, the VPN and the address',
  timeout: 'a firewall or security group may drop packets, or the address is private to ' + 'another network',
  closed: 'the broker may require SASL or a client certificate, or a proxy has no backend',
  'closed after TLS':
    'the broker probably requires a (different) client certificate: -tls-client-cert-file and -tls-client-private-key-file; or a ' +
    'proxy has no backend',
  'login wanted':
    'the broker probably requires authentication: -username and -password, or -oauth-token-file; weir cli diagnose-connection ' +
    'shows its mechanisms',
  'server speaks TLS': 'add -tls',
  'server speaks no TLS': 'remove -tls, or use the port of the TLS listener',
  'untrusted certificate': 'set the certificate authority of the brokers with -tls-server-ca-cert-file',
  'wrong certificate': 'connect with a name in the certificate of the broker, or add this name to it',
  'expired certificate': 'renew the certificate of the broker; check the clock of this machine too',
  'no common TLS': 'the broker and this machine share no TLS version or cipher; check its -tlsProfile',
  'handshake refused':
    'the broker requires a client certificate (-tls-client-cert-file and -tls-client-private-key-file), or shares no TLS version ' +
    'or cipher with this machine',
  'client certificate refused':
    'the broker requires a client certificate that it trusts: -tls-client-cert-file and -tls-client-private-key-file',
  'not Kafka': 'this is not a Kafka broker; check the port',
  stopped: 'start the command again',
  other: 'run weir cli diagnose-connection to test each broker',
};

/** A broker could not be reached, or the connection to it broke. */
export class ConnectionFailed extends Failure {
  override readonly name = 'ConnectionFailed';
  readonly address: Address;
  readonly problem: ConnectionProblem;
  /** What happened, as a phrase: `the name cannot be resolved`. */
  readonly what: string;

  /** `others` are failures of further addresses that could have been used instead. */
  constructor(
    address: Address,
    problem: ConnectionProblem,
    what: string,
    others: readonly ConnectionFailed[] = [],
  ) {
    const also = others.map((other) => `; ${printAddress(other.address)}: ${other.what}`).join('');
    super(`${printAddress(address)}: ${what}${also}; ${advice[problem]}`);
    this.address = address;
    this.problem = problem;
    this.what = what;
  }

  get advice(): string {
    return advice[this.problem];
  }
}

const problemsByCode: Readonly<Record<string, readonly [ConnectionProblem, string]>> = {
  ENOTFOUND: ['unknown host', 'failed to resolve the name'],
  EAI_AGAIN: ['unknown host', 'no response from the name server'],
  ECONNREFUSED: ['refused', 'connection refused'],
  EHOSTUNREACH: ['unreachable', 'host unreachable'],
  ENETUNREACH: ['unreachable', 'network unreachable'],
  EADDRNOTAVAIL: ['unreachable', 'no such address on this machine'],
  ETIMEDOUT: ['timeout', 'connection timed out'],
  ECONNRESET: ['closed', 'the broker closed the connection'],
  EPIPE: ['closed', 'the broker closed the connection'],
  CERT_HAS_EXPIRED: ['expired certificate', 'the certificate of the broker has expired'],
  CERT_NOT_YET_VALID: ['expired certificate', 'the certificate of the broker is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['wrong certificate', 'the certificate of the broker is for another name'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['untrusted certificate', 'the certificate of the broker is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'untrusted certificate',
    'the certificate authority of the broker is not trusted',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'untrusted certificate',
    'the certificate authority of the broker is not trusted',
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'untrusted certificate',
    'the certificate authority of the broker is not trusted',
  ],
  ERR_SSL_UNSUPPORTED_PROTOCOL: ['no common TLS', 'the broker uses another TLS version'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['server speaks no TLS', 'the response is not TLS'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['server speaks no TLS', 'the response is not TLS'],
};

/** Translates a socket error into the user's terms. */
export function connectionFailure(address: Address, error: NodeJS.ErrnoException): ConnectionFailed {
  const [problem, what] = problemsByCode[error.code ?? ''] ?? ['other', error.message];
  const alert = /^ERR_SSL_.*ALERT_(.*)/.exec(error.code ?? '')?.[1];
  if (alert !== undefined) {
    const detail = `the broker ended the TLS handshake (${alert.toLowerCase().replaceAll('_', ' ')})`;
    return new ConnectionFailed(address, problemOfAlert(alert), detail);
  }
  return new ConnectionFailed(address, problem, what);
}

/** The meaning of a TLS alert. `handshake_failure` stands for two problems, and only the broker knows which. */
function problemOfAlert(alert: string): ConnectionProblem {
  if (/PROTOCOL_VERSION|INSUFFICIENT_SECURITY/.test(alert)) return 'no common TLS';
  return alert.endsWith('HANDSHAKE_FAILURE') ? 'handshake refused' : 'client certificate refused';
}
