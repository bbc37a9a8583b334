import type { X509Certificate } from 'node:crypto';
import type { Log } from '@weir/core';
import { type ClientSession, openSession, type PrincipalOf, type ProxyProtocolOptions } from '@weir/security';

/** What is known about a client before its first request. */
export interface GreetedClient {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly isEncrypted?: boolean;
  /** The user that a PROXY header names. */
  readonly proxiedUser?: string | undefined;
  readonly certificate?: X509Certificate | undefined;
  /** The user that the certificate names. */
  readonly certificateUser?: string | undefined;
}

interface SessionOptions {
  readonly proxyProtocol: ProxyProtocolOptions | undefined;
  readonly principalOf: PrincipalOf;
  /** Whether client certificates are logged. */
  readonly logsCertificates: boolean;
  readonly log: Log;
}

/** Creates the session of a client, and logs its certificate. */
export function sessionOf(client: GreetedClient, options: SessionOptions): ClientSession {
  const { remoteAddress, remotePort, isEncrypted = false, proxiedUser, certificateUser } = client;
  if (options.logsCertificates) logCertificate(client, options.log);
  return openSession({
    remoteAddress,
    remotePort,
    isEncrypted,
    user: proxiedUser ?? certificateUser,
    principalOf: principalsBehind(proxiedUser, options),
  });
}

/** A name that only a proxy vouches for does not become a superuser, unless the operator allows it. */
function principalsBehind(
  named: string | undefined,
  { principalOf, proxyProtocol }: SessionOptions,
): PrincipalOf {
  if (named === undefined || proxyProtocol?.allowsSuperusers === true) return principalOf;
  return (username) => {
    const principal = principalOf(username);
    return username === named && principal.isSuperuser ? { ...principal, isSuperuser: false } : principal;
  };
}

function logCertificate({ certificate, certificateUser, remoteAddress }: GreetedClient, log: Log): void {
  if (certificate === undefined) return;
  const { serialNumber, validFromDate, validToDate } = certificate;
  log.info('verified client certificate', {
    peer: remoteAddress,
    user: certificateUser,
    serialNumber,
    validFrom: validFromDate.toISOString(),
    validTo: validToDate.toISOString(),
  });
}
