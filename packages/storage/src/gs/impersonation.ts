import {
  checkedToken,
  jsonIn,
  requestText,
  type TokenDeps,
  type TokenSource,
} from '../store-http/token-request.ts';

interface ImpersonationOptions {
  /** `generateAccessToken` of the service account. */
  readonly url: string;
  readonly scope: string;
  /** Service accounts between the source and this one. */
  readonly delegates?: readonly string[];
  readonly source: TokenSource;
  readonly deps: TokenDeps;
}

/** Tokens of a service account that another account may act as. */
export function impersonated({
  url,
  scope,
  delegates = [],
  source,
  deps,
}: ImpersonationOptions): TokenSource {
  return async (signal) => {
    const { token: ownToken } = await source(signal);
    const headers = { authorization: `Bearer ${ownToken}` };
    const json = { scope: [scope], delegates };
    const { accessToken, expireTime } = jsonIn(await requestText({ url, headers, json }, deps, signal));
    return checkedToken(url, accessToken, Date.parse(String(expireTime)), deps);
  };
}
