import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Deps } from '../deps.ts';
import { Failure } from '../failure.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import type { Address } from '../kafka/address.ts';
import type { ClusterOptions } from '../kafka/cluster.ts';
import type { ClientTls } from '../kafka/open-socket.ts';
import type { SaslLogin } from '../kafka/sasl/login.ts';
import { resolveClientLogin } from '../rules/client-login.ts';
import { resolveClientTls } from '../rules/client-tls.ts';

/** The flags for the connection to a cluster, which every tool takes. */
export type ConnectionValues = Pick<
  FlagValues,
  | 'bootstrap-host'
  | 'bootstrap-port'
  | 'client-id'
  | 'request-timeout'
  | 'tls'
  | 'tlsServerCACertFile'
  | 'tlsClientCertFile'
  | 'tlsClientPrivateKeyFile'
  | 'tlsSkipVerify'
  | 'username'
  | 'password'
  | 'saslMechanism'
  | 'oauthToken'
  | 'oauthTokenFile'
>;

/** The connection options of the cluster that the flags name. */
export async function clusterOptions(values: ConnectionValues, deps: Deps): Promise<ClusterOptions> {
  const { clock, stop } = deps;
  warnOfSkippedVerification(values, deps);
  return {
    bootstrap: bootstrapAddresses(values),
    tls: await readTlsFiles(values),
    login: await loginOf(values),
    clientId: values['client-id'],
    timeoutMs: values['request-timeout'],
    clock,
    stop,
  };
}

/** The brokers to try first, in the order in which they were given. */
function bootstrapAddresses({
  'bootstrap-host': hosts,
  'bootstrap-port': otherPort,
}: ConnectionValues): ClusterOptions['bootstrap'] {
  const [first, ...others] = hosts.map(({ host, port = otherPort }): Address => ({ host, port }));
  if (first === undefined) throw new Failure('-bootstrap-host: an empty value is not allowed');
  return [first, ...others];
}

export function warnOfSkippedVerification(
  { tlsSkipVerify }: Pick<ConnectionValues, 'tlsSkipVerify'>,
  { output }: Deps,
): void {
  if (!tlsSkipVerify) return;
  output.err(
    'weir: warning: -tlsSkipVerify: the certificate is not verified; others may read what is sent\n',
  );
}

/** The login that the flags ask for. A token file is read once in advance, so that a wrong path is reported first. */
async function loginOf(values: ConnectionValues): Promise<SaslLogin | undefined> {
  const resolved = resolveClientLogin(values);
  // The rules have rejected every invalid combination before a command runs.
  if ('problem' in resolved || resolved.value === undefined) return undefined;
  const login = resolved.value;
  if ('token' in login) return { mechanism: 'OAUTHBEARER', token: async () => login.token };
  if (!('tokenPath' in login)) return login;
  const token = () => readToken(login.tokenPath);
  await token();
  return { mechanism: 'OAUTHBEARER', token };
}

/** The characters that RFC 6750 allows in a token. Anything else is probably the wrong file. */
const tokenPattern = /^[A-Za-z0-9._~+/-]+=*$/;

export async function readToken(path: string): Promise<string> {
  const bytes = await readFlagFile('oauthTokenFile', path);
  const token = bytes.toString().trim();
  if (!tokenPattern.test(token)) throw new Failure(`-oauthTokenFile=${path}: does not hold a token`);
  return token;
}

type TlsValues = Parameters<typeof resolveClientTls>[0];

export async function readTlsFiles(values: TlsValues): Promise<ClientTls | undefined> {
  const files = resolveClientTls(values);
  if ('problem' in files || files.value === undefined) return undefined;
  const { authoritiesPath, certificatePath, privateKeyPath, skipsVerification } = files.value;
  const [authorities, certificate, privateKey] = await Promise.all([
    readCertificates('tlsServerCACertFile', authoritiesPath),
    readCertificates('tlsClientCertFile', certificatePath),
    readPrivateKey('tlsClientPrivateKeyFile', privateKeyPath),
  ]);
  if (certificate !== undefined && privateKey !== undefined) {
    const subject = `-tlsClientPrivateKeyFile=${privateKeyPath}`;
    whenUsable(subject, 'is not the key of the certificate', () =>
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
  if (blocks.length === 0) throw new Failure(`-${flag}=${path}: holds no certificate in PEM`);
  for (const [index, block] of blocks.entries()) {
    whenUsable(
      `-${flag}=${path}`,
      `certificate ${index + 1} cannot be read`,
      () => new X509Certificate(block),
    );
  }
  return pem;
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

async function readPrivateKey(flag: FlagName, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  const pem = await readFlagFile(flag, path);
  whenUsable(`-${flag}=${path}`, 'holds no private key in PEM', () => createPrivateKey(pem));
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

async function readFlagFile(flag: FlagName, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`-${flag}=${path}: cannot be read (${code})`);
  }
}
