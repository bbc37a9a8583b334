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
    'check the spelling; a name that the cluster advertises must resolve from this machine too, or the cluster must ' +
    'advertise another one',
  refused:
    'the machine answers, and nothing listens on that port; check that the broker runs and that the port is the one ' +
    'of its Kafka listener',
  unreachable: 'there is no route from this machine; check the network, the VPN and the address',
  timeout:
    'nothing comes back, as when a firewall or a security group drops packets, or when the address is private to ' +
    'another network',
  closed: 'the broker may need SASL or a client certificate, or a proxy in between has nothing behind it',
  'closed after TLS':
    'most likely it wants another client certificate, or one at all: -tlsClientCertFile and -tlsClientPrivateKeyFile; or a ' +
    'proxy in between has nothing behind it',
  'login wanted':
    'most likely it wants a login: -username and -password, or -oauthTokenFile; weir cli diagnose-connection shows which ' +
    'mechanisms it has',
  'server speaks TLS': 'add -tls',
  'server speaks no TLS': 'leave -tls out, or take the port of the TLS listener',
  'untrusted certificate': 'name the certificate authority of the brokers with -tlsServerCACertFile',
  'wrong certificate': 'connect by a name that the certificate of the broker holds, or have it hold this one',
  'expired certificate':
    'the broker needs a certificate that is valid now; check the clock of this machine too',
  'no common TLS':
    'the broker speaks other versions or ciphers of TLS than this machine; see its -tlsProfile',
  'handshake refused':
    'either the broker wants a client certificate (-tlsClientCertFile and -tlsClientPrivateKeyFile), or it shares no version ' +
    'and no cipher of TLS with this machine',
  'client certificate refused':
    'the broker wants a client certificate that it knows: -tlsClientCertFile and -tlsClientPrivateKeyFile',
  'not Kafka': 'something else than a Kafka broker listens there; check the port',
  stopped: 'start the command again',
  other: 'weir cli diagnose-connection tries every broker by itself',
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
  ENOTFOUND: ['unknown host', 'the name cannot be resolved'],
  EAI_AGAIN: ['unknown host', 'the name server does not answer'],
  ECONNREFUSED: ['refused', 'connection refused'],
  EHOSTUNREACH: ['unreachable', 'host unreachable'],
  ENETUNREACH: ['unreachable', 'network unreachable'],
  EADDRNOTAVAIL: ['unreachable', 'no such address on this machine'],
  ETIMEDOUT: ['timeout', 'no answer from the network'],
  ECONNRESET: ['closed', 'the other side closed the connection'],
  EPIPE: ['closed', 'the other side closed the connection'],
  CERT_HAS_EXPIRED: ['expired certificate', 'the certificate of the broker has expired'],
  CERT_NOT_YET_VALID: ['expired certificate', 'the certificate of the broker is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['wrong certificate', 'the certificate of the broker is for another name'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['untrusted certificate', 'the certificate of the broker is signed by itself'],
  SELF_SIGNED_CERT_IN_CHAIN: ['untrusted certificate', 'the authority of the broker is not known here'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['untrusted certificate', 'the authority of the broker is not known here'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'untrusted certificate',
    'the authority of the broker is not known here',
  ],
  ERR_SSL_UNSUPPORTED_PROTOCOL: ['no common TLS', 'the broker speaks another version of TLS'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['server speaks no TLS', 'the answer is not TLS'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['server speaks no TLS', 'the answer is not TLS'],
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
