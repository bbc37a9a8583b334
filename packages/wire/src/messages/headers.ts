import { int16, int32, string } from '../schema/field.ts';
import { type Api, defineMessage } from '../schema/message.ts';
import { includesVersion } from '../schema/versions.ts';

/**
 * The header of every request. v1 belongs to the classic versions of an API, v2 to its flexible ones.
 *
 * The client id has its classic length prefix even in v2, so that a server can read it before it knows the API.
 */
export const requestHeader = defineMessage({
  name: 'request header',
  versions: '1-2',
  flexible: '2+',
  fields: {
    apiKey: int16(),
    apiVersion: int16(),
    correlationId: int32(),
    clientId: string({ nullable: true, default: null, compact: false }),
  },
});

/** The header of every response. v1 adds tagged fields. */
export const responseHeader = defineMessage({
  name: 'response header',
  versions: '0-1',
  flexible: '1+',
  fields: {
    correlationId: int32(),
  },
});

const apiVersionsKey = 18;

export function requestHeaderVersion(api: Api, apiVersion: number): 1 | 2 {
  return includesVersion(api.flexible, apiVersion) ? 2 : 1;
}

/**
 * ApiVersions is answered with header v0 in every version: the client does not know the server's versions yet, and the
 * answer to a version that is too high has the format of v0.
 */
export function responseHeaderVersion(api: Api, apiVersion: number): 0 | 1 {
  if (api.key === apiVersionsKey) return 0;
  return includesVersion(api.flexible, apiVersion) ? 1 : 0;
}
