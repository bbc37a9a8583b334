import { utf8Text } from '@weir/core';
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

const basicHeader = /^basic ([a-z0-9+/]+={0,2})$/i;
/**
 * Parses user and password of an `Authorization` header, by RFC 7617. Strict, so that a header is unambiguous:
 * canonical base64, valid UTF-8, no control characters. `undefined` for anything else.
 */
export function basicCredentials(header: string | undefined): BasicCredentials | undefined {
  const encoded = basicHeader.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = utf8Text(bytes);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0 || /\p{Cc}/u.test(text)) return undefined;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
