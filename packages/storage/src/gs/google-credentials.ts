import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@weir/core';
import { StoreError } from '../store/store-error.ts';
import { requestToken, type TokenDeps, type TokenSource } from '../store-http/token-request.ts';
import { tokenSourceOf } from './credential-types.ts';
import type { CredentialFields } from './field-reader.ts';

const metadataHost = 'metadata.google.internal';
const tokenPath = '/computeMetadata/v1/instance/service-accounts/default/token';

interface GoogleCredentialsDeps extends TokenDeps {
  readonly environment: Environment;
  /** Whether the metadata service of the machine may be asked, by itself or as the source of a file. */
  readonly usesMetadataService: boolean;
}

/**
 * Finds the credentials of the process in the order of Google's own clients: the file of
 * `GOOGLE_APPLICATION_CREDENTIALS`, the file that `gcloud auth application-default login` wrote, and the metadata
 * service of the machine, which only agents ask.
 */
export async function findCredentials(deps: GoogleCredentialsDeps): Promise<TokenSource> {
  const { environment, usesMetadataService, subject } = deps;
  const named = environment.GOOGLE_APPLICATION_CREDENTIALS;
  if (named) {
    const text = await readFile(named, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new StoreError(
        'denied',
        'GOOGLE_APPLICATION_CREDENTIALS',
        `failed to read ${named}: ${error.code}`,
      );
    });
    return sourceIn(text, named, deps);
  }
  const path = gcloudFile(environment);
  const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  if (text !== undefined) return sourceIn(text, path!, deps);
  if (usesMetadataService) return metadataTokens(deps);
  throw new StoreError(
    'denied',
    subject,
    'no credentials: GOOGLE_APPLICATION_CREDENTIALS names no file, and gcloud has stored none',
  );
}

/**
 * Credentials that a configuration of a tenant has. Other types than these name files and servers of the machine, which
 * a tenant must not read.
 */
export function givenCredentials(text: string, deps: TokenDeps): TokenSource {
  const fields = fieldsIn(text, givenName);
  const types = ['service_account', 'authorized_user'];
  if (!types.includes(String(fields.type)))
    throw new StoreError('denied', givenName, `the credentials have to be of the type ${types.join(' or ')}`);
  return tokenSourceOf(fields, givenName, { ...deps, usesMetadataService: false });
}

const givenName = 'credentials_json';

/** Tokens of the service account of the machine, or of the workload identity of its pod. */
function metadataTokens(deps: GoogleCredentialsDeps): TokenSource {
  const url = `http://${deps.environment.GCE_METADATA_HOST || metadataHost}${tokenPath}`;
  return (signal) => requestToken({ url, headers: { 'metadata-flavor': 'Google' } }, deps, signal);
}

function gcloudFile({ CLOUDSDK_CONFIG, HOME }: Environment): string | undefined {
  const folder = CLOUDSDK_CONFIG || (HOME && join(HOME, '.config/gcloud'));
  return folder ? join(folder, 'application_default_credentials.json') : undefined;
}

/** Parses a file of credentials. Errors name the file and never repeat what is in it. */
function sourceIn(text: string, path: string, deps: GoogleCredentialsDeps): TokenSource {
  return tokenSourceOf(fieldsIn(text, path), path, deps);
}

function fieldsIn(text: string, path: string): CredentialFields {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new StoreError('denied', path, 'the file of credentials is not JSON');
  }
  if (typeof fields !== 'object' || fields === null) {
    throw new StoreError('denied', path, 'the file of credentials is not a JSON object');
  }
  return fields as CredentialFields;
}
