import { ConnectionFailed, type ConnectionProblem, LoginFailed, printAddress } from '@weir/client';

/** What to do about each of them, in words of the configuration. */
const advice: Readonly<Record<ConnectionProblem, string>> = {
  'unknown host':
    'check source_bootstrap_brokers; names that the source advertises must resolve on the machines of the agents too',
  refused: 'nothing listens on that port; check the broker and the port of its Kafka listener',
  unreachable: 'there is no route from the agents; check the network and the address',
  timeout: 'a firewall may drop packets, or the address is private to another network',
  closed:
    'the source may want TLS (use_tls: true), a login or a client certificate, or a proxy has no backend',
  'closed after TLS':
    'the source probably wants a client certificate: mtls_client_cert_env and mtls_client_key_env',
  'login wanted':
    'the source probably wants a login: sasl_mechanism, sasl_username_env and sasl_password_env',
  'server speaks TLS': 'set use_tls: true',
  'server speaks no TLS': 'set use_tls: false, or use the port of the TLS listener',
  'untrusted certificate': 'set the certificate authority of the brokers with tls_ca_cert_env',
  'wrong certificate': 'use a name that is in the certificate of the broker',
  'expired certificate': 'renew the certificate of the broker; check the clocks of the agents too',
  'no common TLS': 'the source and the agents share no TLS version or cipher',
  'handshake refused':
    'the source wants a client certificate, or shares no TLS version or cipher with the agents',
  'client certificate refused':
    'the source wants a certificate that it trusts: mtls_client_cert_env and mtls_client_key_env',
  'not Kafka': 'this is not a Kafka broker; check the port',
  stopped: 'it was stopped',
  other: 'check that the agents reach the source',
};

const charsMax = 1000;

/** Why a source could not be asked, in one line that says what to do. It has no value of a credential. */
export function sourceProblem(error: unknown): string {
  return textOf(error).replaceAll(/\s+/g, ' ').trim().slice(0, charsMax);
}

function textOf(error: unknown): string {
  if (error instanceof ConnectionFailed)
    return `${printAddress(error.address)}: ${error.what}; ${advice[error.problem]}`;
  if (error instanceof LoginFailed)
    return `${printAddress(error.address)}: ${error.what}; ${loginAdvice(error)}`;
  return error instanceof Error ? error.message : String(error);
}

function loginAdvice({ problem, mechanisms }: LoginFailed): string {
  switch (problem) {
    case 'no login here':
      return 'remove sasl_mechanism, or use the port of a SASL listener';
    case 'mechanism not enabled':
      return mechanisms.length === 0
        ? 'the source enables no mechanism'
        : `the source enables ${mechanisms.slice(0, 10).join(', ')}: set sasl_mechanism`;
    case 'refused':
      return 'check the variables that sasl_username_env and sasl_password_env name on the agents';
    case 'server unproven':
      return 'the server may not be a broker of the source; check the address, and set use_tls: true';
    case 'other':
      return 'check source_cluster_credentials';
  }
}
