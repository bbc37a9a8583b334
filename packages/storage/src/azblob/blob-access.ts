import type { Clock, Environment } from '@weir/core';
import { StoreError } from '../store/store-error.ts';
import type { LookupFor } from '../store-http/http-client.ts';
import { Renewed } from '../store-http/renewed.ts';
import {
  type AzblobLocation,
  type BlobService,
  blobService,
  emulatorAccount,
  isAccount,
  serviceUrl,
} from './azblob-url.ts';
import {
  type AzureCredential,
  emulatorCredential,
  sasCredential,
  sharedKeyCredential,
} from './azure-credential.ts';
import { parseConnectionString } from './connection-string.ts';
import { entraTokens } from './entra-tokens.ts';

interface BlobAccess {
  readonly service: BlobService;
  readonly credential: AzureCredential;
}

interface AccessOptions {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly usesMetadataService: boolean;
  readonly lookupFor?: LookupFor | undefined;
}

/** So long before it expires, a token is renewed. */
const renewAheadMs = 300_000;

const ways =
  'set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, or run with a workload identity or a managed identity';

/**
 * The server of a bucket and the credential for it: the first of key, SAS token, connection string, and tokens of
 * Entra ID. Key, SAS token and connection string belong to one account; a bucket whose URL names another one does not
 * use them, and its server never receives them.
 */
export function blobAccess(location: AzblobLocation, options: AccessOptions): BlobAccess {
  const { environment } = options;
  const subject = `azblob://${location.container}`;
  const text = environment.AZURE_STORAGE_CONNECTION_STRING || undefined;
  const connection = text === undefined ? undefined : parseConnectionString(text, subject);
  const ownAccount = environment.AZURE_STORAGE_ACCOUNT || undefined;
  const account =
    location.account ??
    ownAccount ??
    connection?.account ??
    (location.isEmulator ? emulatorAccount : undefined);
  if (account !== undefined && !isAccount(account)) {
    throw new StoreError('invalid', subject, 'a storage account has 3 to 24 lower-case letters and digits');
  }

  const isOwn = ownAccount === undefined || account === ownAccount;
  const fixed = isOwn ? keyOrSas(environment, account, subject) : undefined;
  const isConnected =
    fixed === undefined &&
    connection !== undefined &&
    (connection.account === undefined || connection.account === account);
  const service = blobService(
    // What the URL says of the server counts more than the connection string.
    isConnected && !namesServer(location) ? connection.endpoint : urlOf(location, account, subject),
  );
  const credential =
    fixed ??
    (isConnected ? connection.credential : undefined) ??
    fallbackCredential(location, account, { ...options, subject });
  if (credential.kind === 'tokens' && !service.endpoint.isTls) {
    throw new StoreError(
      'invalid',
      subject,
      'access tokens are sent over TLS only, and the protocol is http',
    );
  }
  return { service, credential };
}

function keyOrSas(
  environment: Environment,
  account: string | undefined,
  subject: string,
): AzureCredential | undefined {
  const { AZURE_STORAGE_KEY: key, AZURE_STORAGE_SAS_TOKEN: sas } = environment;
  if (key) {
    if (account === undefined) {
      throw new StoreError('invalid', subject, 'AZURE_STORAGE_KEY needs AZURE_STORAGE_ACCOUNT');
    }
    return sharedKeyCredential(account, key, { source: 'AZURE_STORAGE_KEY', subject });
  }
  return sas ? sasCredential(sas, { source: 'AZURE_STORAGE_SAS_TOKEN', subject }) : undefined;
}

function namesServer({ endpoint, domain, protocol, isEmulator }: AzblobLocation): boolean {
  return isEmulator || (endpoint ?? domain ?? protocol) !== undefined;
}

function urlOf(location: AzblobLocation, account: string | undefined, subject: string): string {
  if (account === undefined && location.endpoint === undefined) {
    const problem = 'no storage account: set storage_account= in the URL, or AZURE_STORAGE_ACCOUNT';
    throw new StoreError('invalid', subject, problem);
  }
  return serviceUrl(location, account ?? '');
}

function fallbackCredential(
  { isEmulator, container }: AzblobLocation,
  account: string | undefined,
  options: AccessOptions & { readonly subject: string },
): AzureCredential {
  const { clock, subject } = options;
  if (isEmulator && account === emulatorAccount) return emulatorCredential(subject);
  const renew = entraTokens(options);
  if (renew === undefined) {
    const whose = account === undefined ? `the container ${container}` : `the storage account ${account}`;
    throw new StoreError('denied', subject, `no credentials for ${whose}: ${ways}`);
  }
  return { kind: 'tokens', tokens: new Renewed({ clock, subject, renew, renewAheadMs }) };
}
