import { StoreError } from '../store/store-error.ts';
import type { Renewed } from '../store-http/renewed.ts';
import type { AccessToken } from '../store-http/token-request.ts';
import { emulatorAccount } from './azblob-url.ts';
import type { SharedKey } from './shared-key.ts';

/** What authorizes a request. */
export type AzureCredential =
  | { readonly kind: 'sharedKey'; readonly sharedKey: SharedKey }
  /** A shared access signature: parameters that are added to every request. */
  | { readonly kind: 'sas'; readonly parameters: string }
  | { readonly kind: 'tokens'; readonly tokens: Renewed<AccessToken> };

/** The source and the bucket of a credential, for errors; these never quote the credential. */
interface Origin {
  readonly source: string;
  readonly subject: string;
}

/** The key of every emulator, which is public. */
const emulatorKey =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export function sharedKeyCredential(
  account: string,
  base64: string,
  { source, subject }: Origin,
): AzureCredential {
  const text = base64.trim();
  if (!/^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(text) || text === '') {
    throw new StoreError(
      'invalid',
      subject,
      `${source} is not the key of a storage account, which is base64`,
    );
  }
  return { kind: 'sharedKey', sharedKey: { account, key: Buffer.from(text, 'base64') } };
}

export function sasCredential(token: string, { source, subject }: Origin): AzureCredential {
  const parameters = token.trim().replace(/^\?/, '');
  // It becomes a part of the request line.
  if (/[^\x21-\x7e]|#/.test(parameters) || !/(?:^|&)sig=/.test(parameters)) {
    throw new StoreError('invalid', subject, `${source} is not a SAS token, which has parameters and a sig`);
  }
  return { kind: 'sas', parameters };
}

export function emulatorCredential(subject: string): AzureCredential {
  return sharedKeyCredential(emulatorAccount, emulatorKey, { source: 'the key of the emulator', subject });
}
