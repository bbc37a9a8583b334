import { readFile } from 'node:fs/promises';
import type { Environment } from '@weir/core';
import { StoreError } from '../store/store-error.ts';
import { escapeQuery } from '../store-http/escape.ts';
import { formOf, requestToken, type TokenDeps, type TokenSource } from '../store-http/token-request.ts';
import { isBaseUrl } from './azblob-url.ts';

interface EntraTokensOptions extends TokenDeps {
  readonly environment: Environment;
  readonly usesMetadataService: boolean;
}

/** Of the metadata service of a machine while it starts or is updated. */
const startingStatuses = [404, 410];

/** What the token is for: data of any storage account. */
const resource = 'https://storage.azure.com/';
const publicAuthority = 'https://login.microsoftonline.com';
const machineMetadata = 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01';

/**
 * How this process gets tokens from Entra ID, by the variables that the official clients read: as an application with a
 * secret, as a workload of Kubernetes, or as the managed identity of a container or of the machine. `undefined` if no
 * variable names a way and the metadata service may not be asked.
 */
export function entraTokens(options: EntraTokensOptions): TokenSource | undefined {
  const { environment, usesMetadataService } = options;
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client } = environment;
  const { AZURE_CLIENT_SECRET: secret, AZURE_FEDERATED_TOKEN_FILE: tokenFile } = environment;
  if (tenant && client && secret) return fromAuthority(options, async () => ({ client_secret: secret }));
  if (tenant && client && tokenFile) {
    return fromAuthority(options, async () => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      // Kubernetes replaces it every hour.
      client_assertion: await readTokenFile(tokenFile, options),
    }));
  }
  return usesMetadataService ? fromManagedIdentity(options) : undefined;
}

function fromAuthority(
  options: EntraTokensOptions,
  proof: () => Promise<Readonly<Record<string, string>>>,
): TokenSource {
  const { environment, subject } = options;
  const authority = (environment.AZURE_AUTHORITY_HOST || publicAuthority).replace(/\/+$/, '');
  if (!authority.startsWith('https://') || !isBaseUrl(authority)) {
    throw new StoreError('invalid', subject, 'AZURE_AUTHORITY_HOST is not an https:// URL');
  }
  const tenant = environment.AZURE_TENANT_ID!;
  if (!/^[\w.-]+$/.test(tenant))
    throw new StoreError('invalid', subject, 'AZURE_TENANT_ID is neither an id nor a domain');
  return async (signal) => {
    const form = {
      grant_type: 'client_credentials',
      client_id: environment.AZURE_CLIENT_ID!,
      scope: `${resource}.default`,
      ...(await proof()),
    };
    const url = `${authority}/${escapeQuery(tenant)}/oauth2/v2.0/token`;
    return requestToken({ url, form, startingStatuses }, options, signal);
  };
}

function fromManagedIdentity(options: EntraTokensOptions): TokenSource {
  const { environment, subject } = options;
  const { IDENTITY_ENDPOINT: container, IDENTITY_HEADER: secret, AZURE_CLIENT_ID: client } = environment;
  const isContainer = container !== undefined && container !== '' && secret !== undefined && secret !== '';
  const parameters = formOf({ resource, ...(client ? { client_id: client } : {}) });
  if (
    isContainer &&
    (!/^https?:\/\//.test(container) || !URL.canParse(container) || /[^\x21-\x7e]/.test(secret))
  ) {
    throw new StoreError('invalid', subject, 'IDENTITY_ENDPOINT or IDENTITY_HEADER is malformed');
  }
  const [endpoint, headers] = isContainer
    ? [`${container}?api-version=2019-08-01`, { 'x-identity-header': secret }]
    : [machineMetadata, { metadata: 'true' }];
  const url = `${endpoint}&${parameters}`;
  return (signal) => requestToken({ url, headers, startingStatuses }, options, signal);
}

async function readTokenFile(path: string, { subject }: EntraTokensOptions): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const problem = `failed to read AZURE_FEDERATED_TOKEN_FILE: ${(error as Error).message}`;
    throw new StoreError('denied', subject, problem, { cause: error });
  }
}
