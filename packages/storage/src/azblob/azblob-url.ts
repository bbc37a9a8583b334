import { StoreError } from '../store/store-error.ts';
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
  const subject = `azblob://${url.host}`;
  const invalid = (problem: string) => new StoreError('invalid', subject, problem);
  const names = [...url.searchParams.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw invalid(`the parameter ${unknown} is not known; there are ${parameters.join(', ')}`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalid(`the parameter ${repeated} is given twice`);
  if (url.pathname.length > 1) {
    throw invalid('a folder inside the container is named by prefix=, not by the path');
  }
  if (url.username + url.password + url.hash !== '') {
    throw invalid('credentials come from the environment, and only a container and parameters from the URL');
  }
  const container = url.host;
  if (!/^(?=.{3,63}$)[a-z\d]+(?:-[a-z\d]+)*$/.test(container)) {
    throw invalid('a container name has 3 to 63 lower-case letters, digits and single hyphens');
  }

  const text = (name: string) => url.searchParams.get(name) ?? undefined;
  const account = text('storage_account');
  // It becomes part of a host name: any other text could name another server.
  if (account !== undefined && !isAccount(account)) {
    throw invalid('storage_account= has 3 to 24 lower-case letters and digits');
  }
  const protocol = text('protocol');
  if (protocol !== undefined && protocol !== 'http' && protocol !== 'https') {
    throw invalid('protocol= is http or https');
  }
  const domain = text('domain');
  if (domain !== undefined && (!/^[a-z\d.:[\]-]+$/i.test(domain) || !isBaseUrl(`https://${domain}`))) {
    throw invalid('domain= is a host, with or without a port');
  }
  const emulator = text('localemu') ?? 'false';
  if (emulator !== 'true' && emulator !== 'false') throw invalid('localemu is true or false');
  const endpoint = text('endpoint');
  if (endpoint !== undefined) {
    if (names.some((name) => name === 'protocol' || name === 'domain' || name === 'localemu')) {
      throw invalid('endpoint= replaces protocol=, domain= and localemu=');
    }
    if (!isBaseUrl(endpoint))
      throw invalid('endpoint= is the URL of a blob service, as in https://host:port');
  }
  return {
    container,
    account,
    endpoint: endpoint?.replace(/\/+$/, ''),
    domain,
    protocol,
    isEmulator: emulator === 'true',
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
