import type { RegistryUnavailable } from '@weir/registry';

const notTrusted = 'set the certificate authority of the registry with -tls-server-ca-cert-file';
const wrongScheme =
  'check that the port is that of a registry, and whether -schema-registry-url needs https or http';

/** What to do about a connection that fails, by the code of the error. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens there; check that the registry is running and that -schema-registry-url is its address',
  ENOTFOUND: 'failed to resolve the name; check -schema-registry-url',
  EAI_AGAIN: 'no response from the name server',
  ECONNRESET: wrongScheme,
  ERR_SSL_WRONG_VERSION_NUMBER: wrongScheme,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: wrongScheme,
  DEPTH_ZERO_SELF_SIGNED_CERT: notTrusted,
  SELF_SIGNED_CERT_IN_CHAIN: notTrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notTrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: notTrusted,
};

/** One line that says what happened and what to do. */
export function unreachableLine({ message, cause }: RegistryUnavailable): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  // The runtime adds advice about its own flags, which users of this program do not have.
  const what = message.replace(/; if the root CA is installed locally.*/, '');
  return Object.hasOwn(advice, code) ? `${what}; ${advice[code]}` : what;
}
