import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { StoreError } from '../store/store-error.ts';
import { requestToken, type TokenDeps, type TokenSource } from '../store-http/token-request.ts';
import { type CredentialFields, FieldReader } from './field-reader.ts';
import { impersonated } from './impersonation.ts';
import { subjectTokens } from './subject-tokens.ts';

interface CredentialDeps extends TokenDeps {
  readonly usesMetadataService: boolean;
}

/** To read and write objects; rights to buckets and their policies are not needed. */
const storageScope = 'https://www.googleapis.com/auth/devstorage.read_write';
/** What the service that issues tokens of service accounts demands. */
const iamScope = 'https://www.googleapis.com/auth/cloud-platform';
const googleTokenUrl = 'https://oauth2.googleapis.com/token';
const assertionSeconds = 3600;

type Reader = (fields: FieldReader, deps: CredentialDeps, scope: string) => TokenSource;

const readers: Readonly<Record<string, Reader>> = {
  service_account: serviceAccount,
  authorized_user: authorizedUser,
  external_account: externalAccount,
  impersonated_service_account: impersonatedServiceAccount,
};

/** The tokens of a file of credentials, by its `type`. Throws a `StoreError` that names the file. */
export function tokenSourceOf(
  fields: CredentialFields,
  path: string,
  deps: CredentialDeps,
  scope = storageScope,
): TokenSource {
  const reader = new FieldReader(fields, path);
  const type = reader.text('type');
  const known = Object.keys(readers).join(', ');
  const read =
    (Object.hasOwn(readers, type) ? readers[type] : undefined) ??
    reader.fail(`credentials of the type ${type} are not supported, only ${known}`);
  return read(reader, deps, scope);
}

/** A key of a service account: it signs an assertion, for which it gets a token (RFC 7523). */
function serviceAccount(fields: FieldReader, deps: CredentialDeps, scope: string): TokenSource {
  const email = fields.text('client_email');
  const keyId = fields.optionalText('private_key_id');
  const url = fields.url('token_uri', googleTokenUrl);
  let key: KeyObject;
  try {
    key = createPrivateKey(fields.text('private_key'));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return fields.fail('private_key is not a key in PEM');
  }
  return (signal) => {
    const issued = Math.floor(deps.clock.nowMs() / 1000);
    const head = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
    const claims = { iss: email, scope, aud: url, iat: issued, exp: issued + assertionSeconds };
    const signed = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const assertion = `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    return requestToken({ url, form }, deps, signal);
  };
}

/** The login of a user of gcloud. */
function authorizedUser(fields: FieldReader, deps: CredentialDeps): TokenSource {
  const form = {
    grant_type: 'refresh_token',
    client_id: fields.text('client_id'),
    client_secret: fields.text('client_secret'),
    refresh_token: fields.text('refresh_token'),
  };
  const url = fields.url('token_uri', googleTokenUrl);
  return (signal) => requestToken({ url, form }, deps, signal);
}

/** Workload identity federation: a token of another provider is exchanged for one of Google (RFC 8693). */
function externalAccount(fields: FieldReader, deps: CredentialDeps, scope: string): TokenSource {
  const url = fields.url('token_url');
  const audience = fields.text('audience');
  const subjectType = fields.text('subject_token_type');
  const subjectToken = subjectTokens(fields.object('credential_source'), deps);
  const impersonationUrl = fields.optionalUrl('service_account_impersonation_url');
  const clientId = fields.optionalText('client_id');
  const clientSecret = fields.optionalText('client_secret') ?? '';
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const headers = clientId === undefined ? {} : { authorization: `Basic ${basic}` };
  const exchanged: TokenSource = async (signal) => {
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience,
      scope: impersonationUrl === undefined ? scope : iamScope,
      subject_token_type: subjectType,
      subject_token: await subjectToken(signal),
    };
    return requestToken({ url, headers, form }, deps, signal);
  };
  return impersonationUrl === undefined
    ? exchanged
    : impersonated({ url: impersonationUrl, scope, source: exchanged, deps });
}

/** `gcloud auth application-default login --impersonate-service-account`. */
function impersonatedServiceAccount(fields: FieldReader, deps: CredentialDeps, scope: string): TokenSource {
  const source = fields.object('source_credentials');
  if (source.optionalText('type') === 'impersonated_service_account') {
    fields.fail('source_credentials may not be impersonated too');
  }
  return impersonated({
    url: fields.url('service_account_impersonation_url'),
    delegates: fields.texts('delegates'),
    scope,
    source: tokenSourceOf(source.fields, source.path, deps, iamScope),
    deps,
  });
}
