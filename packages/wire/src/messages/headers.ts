import { int16, int32, string } from '../schema/field.ts';
import { type Api, defineMessage } from '../schema/message.ts';
import { includesVersion } from '../schema/versions.ts';

/**
 * What stands before every request. v1 goes with the classic versions of an API, v2 with its flexible ones.
 *
 * The client id keeps its classic length prefix even in v2, so that a server can read it before it knows the API.
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

/** What stands before every response. v1 adds tagged fields. */
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
 * ApiVersions is answered with header v0 whatever its version: the client does not know yet which versions the server
 * has, and the answer to a version that is too high comes in the format of v0.
 */
export function responseHeaderVersion(api: Api, apiVersion: number): 0 | 1 {
  if (api.key === apiVersionsKey) return 0;
  return includesVersion(api.flexible, apiVersion) ? 1 : 0;
}
