import { readFile } from 'node:fs/promises';
import { StoreError } from '../store/store-error.ts';
import { jsonIn, requestText, type TokenDeps } from '../store-http/token-request.ts';
import type { FieldReader } from './field-reader.ts';

/** Returns the token of another provider. It is read again each time, because it expires. */
type SubjectTokens = (signal: AbortSignal) => Promise<string>;

interface SubjectTokensDeps extends TokenDeps {
  readonly usesMetadataService: boolean;
}

/** Reads the `credential_source` of an external account: a file or a URL, with the token as text or in JSON. */
export function subjectTokens(source: FieldReader, deps: SubjectTokensDeps): SubjectTokens {
  const tokenIn = tokenReader(source);
  const file = source.optionalText('file');
  if (file !== undefined) {
    return async () => {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new StoreError('denied', source.path, `failed to read the token in ${file}: ${error.code}`);
      });
      return tokenIn(text);
    };
  }
  const url = source.optionalText('url');
  if (url === undefined || source.optionalText('environment_id') !== undefined) {
    source.fail('credential_source names neither a file nor a URL; AWS and executables are not supported');
  }
  const { protocol } = URL.parse(url) ?? source.fail('url of credential_source is not a URL');
  if (protocol !== 'https:' && protocol !== 'http:')
    source.fail('url of credential_source must begin with https:// or http://');
  // Over http it is the metadata service of the machine or a program on it.
  if (protocol === 'http:' && !deps.usesMetadataService) {
    source.fail('url of credential_source is a metadata service, which only agents ask');
  }
  const headers = Object.fromEntries(
    Object.entries(source.fields.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  return async (signal) => tokenIn(await requestText({ url, headers }, deps, signal));
}

function tokenReader(source: FieldReader): (text: string) => string {
  const format = source.fields.format === undefined ? undefined : source.object('format');
  const isJson = format?.optionalText('type') === 'json';
  const field = isJson ? format!.text('subject_token_field_name') : '';
  return (text) => {
    const token = isJson ? jsonIn(text)[field] : text.trim();
    if (typeof token === 'string' && token !== '') return token;
    throw new StoreError('denied', source.path, 'credential_source has no token');
  };
}
