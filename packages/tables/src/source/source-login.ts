import type { ClientTls, SaslLogin } from '@weir/client';
import type { Credential, SourceCredentials } from '../table-definition.ts';

/** Returns the value of a credential. Throws one line if there is none. */
export type CredentialValue = (credential: Credential) => string;

interface SourceLogin {
  readonly tls: ClientTls | undefined;
  readonly login: SaslLogin | undefined;
}

const mechanisms = {
  plain: 'PLAIN',
  'scram-256': 'SCRAM-SHA-256',
  'scram-512': 'SCRAM-SHA-512',
} as const;

/** How a source cluster is connected to. TLS and the login are independent: neither needs a client certificate. */
export function sourceLogin(
  credentials: SourceCredentials | undefined,
  credentialValue: CredentialValue,
): SourceLogin {
  if (credentials === undefined) return { tls: undefined, login: undefined };
  return { tls: tlsOf(credentials, credentialValue), login: loginOf(credentials, credentialValue) };
}

function loginOf(
  { mechanism = 'plain', username, password }: SourceCredentials,
  credentialValue: CredentialValue,
): SaslLogin | undefined {
  if (username === undefined) return undefined;
  return {
    mechanism: mechanisms[mechanism],
    username: credentialValue(username),
    password: password === undefined ? '' : credentialValue(password),
  };
}

function tlsOf(
  {
    usesTls,
    isInsecure,
    trustedCertificates: trusted,
    clientCertificate: certificate,
    clientKey: key,
  }: SourceCredentials,
  credentialValue: CredentialValue,
): ClientTls | undefined {
  if (!usesTls) return undefined;
  return {
    skipsVerification: isInsecure,
    ...(trusted === undefined ? {} : { authorities: Buffer.from(credentialValue(trusted)) }),
    ...(certificate === undefined ? {} : { certificate: Buffer.from(credentialValue(certificate)) }),
    ...(key === undefined ? {} : { privateKey: Buffer.from(credentialValue(key)) }),
  };
}
