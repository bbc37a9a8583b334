import { StoreError } from '../store/store-error.ts';
import {
  accountServiceUrl,
  emulatorAccount,
  emulatorServiceUrl,
  isAccount,
  isBaseUrl,
} from './azblob-url.ts';
import {
  type AzureCredential,
  emulatorCredential,
  sasCredential,
  sharedKeyCredential,
} from './azure-credential.ts';

interface ConnectionString {
  readonly account: string | undefined;
  readonly credential: AzureCredential;
  /** The URL of the blob service without a trailing slash. */
  readonly endpoint: string;
}

const source = 'AZURE_STORAGE_CONNECTION_STRING';

/** Parses `AccountName=…;AccountKey=…;…`, as the portal of Azure shows it. Errors never quote it. */
export function parseConnectionString(text: string, subject: string): ConnectionString {
  const invalid = (problem: string) => new StoreError('invalid', subject, `${source} ${problem}`);
  const fields = new Map<string, string>();
  for (const field of text.split(';')) {
    const [, name, value] = /^\s*(\w+)=(.*)$/s.exec(field) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name.toLowerCase(), value.trim());
    else if (field.trim() !== '') throw invalid('is not a list of name=value with semicolons between them');
  }
  if (fields.get('usedevelopmentstorage')?.toLowerCase() === 'true') {
    return {
      account: emulatorAccount,
      credential: emulatorCredential(subject),
      endpoint: emulatorServiceUrl(emulatorAccount),
    };
  }

  const account = fields.get('accountname');
  if (account !== undefined && !isAccount(account)) throw invalid('has no valid AccountName');
  const protocol = fields.get('defaultendpointsprotocol') ?? 'https';
  if (protocol !== 'http' && protocol !== 'https')
    throw invalid('has a DefaultEndpointsProtocol other than http and https');
  const suffix = fields.get('endpointsuffix') ?? 'core.windows.net';
  const endpoint =
    fields.get('blobendpoint') ??
    (account === undefined ? undefined : accountServiceUrl(account, { protocol, domain: `blob.${suffix}` }));
  if (endpoint === undefined || !isBaseUrl(endpoint))
    throw invalid('has neither AccountName nor a valid BlobEndpoint');

  const key = fields.get('accountkey');
  const sas = fields.get('sharedaccesssignature');
  const origin = { source, subject };
  if (key !== undefined && account === undefined) throw invalid('has an AccountKey without an AccountName');
  const credential =
    key !== undefined
      ? sharedKeyCredential(account!, key, origin)
      : sas !== undefined
        ? sasCredential(sas, origin)
        : undefined;
  if (credential === undefined) throw invalid('has neither AccountKey nor SharedAccessSignature');
  return { account, credential, endpoint: endpoint.replace(/\/+$/, '') };
}
