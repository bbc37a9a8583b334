import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ClientTls } from '@weir/client';
import { Failure } from '@weir/core';
import type { FlagName } from '../flags/catalogue.ts';
import { toolStyle } from '../flags/names.ts';
import type { ClientTlsFiles } from '../rules/client-tls.ts';
import { readFlagFile } from './flag-file.ts';

/** Reads and checks the files of a TLS connection. */
export async function readTlsFiles({
  authoritiesPath,
  certificatePath,
  privateKeyPath,
  skipsVerification,
}: ClientTlsFiles): Promise<ClientTls> {
  const [authorities, certificate, privateKey] = await Promise.all([
    readCertificates('tlsServerCACertFile', authoritiesPath),
    readCertificates('tlsClientCertFile', certificatePath),
    readPrivateKey('tlsClientPrivateKeyFile', privateKeyPath),
  ]);
  if (certificate !== undefined && privateKey !== undefined) {
    const subject = `-tls-client-private-key-file=${privateKeyPath}`;
    whenUsable(subject, 'does not match the certificate', () =>
      createSecureContext({ cert: certificate, key: privateKey }),
    );
  }
  return {
    ...(authorities === undefined ? {} : { authorities }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(privateKey === undefined ? {} : { privateKey }),
    ...(skipsVerification ? { skipsVerification } : {}),
  };
}

async function readCertificates(flag: FlagName, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  const pem = await readFlagFile(flag, path);
  // TLS ignores unreadable certificates, and then trusts no server without saying why.
  const blocks = pem.toString().match(certificateBlock) ?? [];
  if (blocks.length === 0) throw new Failure(`-${toolStyle(flag)}=${path}: no PEM certificate found`);
  for (const [index, block] of blocks.entries()) {
    whenUsable(
      `-${toolStyle(flag)}=${path}`,
      `certificate ${index + 1} is invalid`,
      () => new X509Certificate(block),
    );
  }
  return pem;
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

async function readPrivateKey(flag: FlagName, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  const pem = await readFlagFile(flag, path);
  whenUsable(`-${toolStyle(flag)}=${path}`, 'no PEM private key found', () => createPrivateKey(pem));
  return pem;
}

/** Checks files before they are used for a connection, whose error could not say which of them is invalid. */
function whenUsable(subject: string, problem: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`${subject}: ${problem} (${code})`);
  }
}
