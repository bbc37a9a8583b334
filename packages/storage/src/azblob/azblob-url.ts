import { BucketUrl } from '../store-http/bucket-url.ts';
import { endpointOf } from '../store-http/endpoint.ts';
import type { HttpEndpoint } from '../store-http/http-client.ts';

/** The location of a container, as far as its URL names it. */
export interface AzblobLocation {
  readonly container: string;
  /** The storage account; `undefined` for that of the environment. */
  readonly account: string | undefined;
  /** The URL of the blob service without a trailing slash; `undefined` where it follows from the account. */
  readonly endpoint: string | undefined;
  /** What the name of the account is added to; `undefined` for the public cloud. */
  readonly domain: string | undefined;
  readonly protocol: 'http' | 'https' | undefined;
  readonly isEmulator: boolean;
}

/** The blob service of an account: its server, and the path before the container. */
export interface BlobService {
  readonly endpoint: HttpEndpoint;
  readonly basePath: string;
}

const publicDomain = 'blob.core.windows.net';
const emulatorDomain = '127.0.0.1:10000';
export const emulatorAccount = 'devstoreaccount1';

const parameters = ['prefix', 'storage_account', 'protocol', 'domain', 'localemu', 'endpoint'];

/** Parses `azblob://container?storage_account=…`. The prefix is handled elsewhere. */
export function parseAzblobUrl(url: URL): AzblobLocation {
  const given = new BucketUrl(url, parameters);
  given.requireNoUser('AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING');
  const { bucket: container } = given;
  if (!/^(?=.{3,63}$)[a-z\d]+(?:-[a-z\d]+)*$/.test(container)) {
    throw given.refusal('a container name has 3 to 63 lower-case letters, digits and single hyphens');
  }

  const account = given.text('storage_account');
  // It becomes part of a host name: any other text could name another server.
  if (account !== undefined && !isAccount(account)) {
    throw given.refusal('storage_account= has 3 to 24 lower-case letters and digits');
  }
  const protocol = given.text('protocol');
  if (protocol !== undefined && protocol !== 'http' && protocol !== 'https') {
    throw given.refusal('protocol= is http or https');
  }
  const domain = given.text('domain');
  if (domain !== undefined && (!/^[a-z\d.:[\]-]+$/i.test(domain) || !isBaseUrl(`https://${domain}`))) {
    throw given.refusal('domain= is a host, with or without a port');
  }
  const isEmulator = given.flag('localemu');
  const endpoint = given.text('endpoint');
  if (endpoint !== undefined) {
    if (['protocol', 'domain', 'localemu'].some((name) => given.text(name) !== undefined)) {
      throw given.refusal('endpoint= replaces protocol=, domain= and localemu=');
    }
    if (!isBaseUrl(endpoint))
      throw given.refusal('endpoint= is the URL of a blob service, as in https://host:port');
  }
  return {
    container,
    account,
    endpoint: endpoint?.replace(/\/+$/, ''),
    domain,
    protocol,
    isEmulator,
  };
}

export function isAccount(text: string): boolean {
  return /^[a-z\d]{3,24}$/.test(text);
}

/** The URL of the blob service of an account. */
export function serviceUrl(location: AzblobLocation, account: string): string {
  const { endpoint, protocol, domain, isEmulator } = location;
  if (endpoint !== undefined) return endpoint;
  return isEmulator
    ? emulatorServiceUrl(account, { protocol, domain })
    : accountServiceUrl(account, { protocol, domain });
}

type ServerParts = Partial<Pick<AzblobLocation, 'protocol' | 'domain'>>;

export function accountServiceUrl(account: string, { protocol, domain }: ServerParts): string {
  return `${protocol ?? 'https'}://${account}.${domain ?? publicDomain}`;
}

/** An emulator has one host for all accounts. */
export function emulatorServiceUrl(account: string, { protocol, domain }: ServerParts = {}): string {
  return `${protocol ?? 'http'}://${domain ?? emulatorDomain}/${account}`;
}

/** Splits the URL of a blob service. */
export function blobService(serviceUrl: string): BlobService {
  const url = new URL(serviceUrl);
  return { endpoint: endpointOf(url), basePath: url.pathname.replace(/\/+$/, '') };
}

/** The server that receives requests, as far as the URL alone names it: for comparing buckets. */
export function azblobServer(location: AzblobLocation): string {
  const { account, endpoint, isEmulator } = location;
  if (account !== undefined || endpoint !== undefined) {
    const server = serviceUrl(location, account ?? '');
    // Credentials may depend on the account.
    return endpoint !== undefined && account !== undefined ? `${server} for ${account}` : server;
  }
  return `${serviceUrl(location, isEmulator ? emulatorAccount : 'account')} of the environment`;
}

/** A server and perhaps a path. Anything before an @ or after the path would be lost. */
export function isBaseUrl(text: string): boolean {
  const url = /^https?:\/\/[^/]/.test(text) ? URL.parse(text) : null;
  return (
    url !== null &&
    url.username + url.password + url.search + url.hash === '' &&
    /^[\w./-]*$/.test(url.pathname)
  );
}
