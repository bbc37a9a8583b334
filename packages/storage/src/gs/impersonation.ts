import type { Clock } from '@weir/core';
import type { TokenSource } from './access-tokens.ts';
import { checkedToken, jsonIn, requestText } from './token-request.ts';

interface ImpersonationOptions {
  /** `generateAccessToken` of the service account. */
  readonly url: string;
  readonly scope: string;
  /** Service accounts between the source and this one. */
  readonly delegates?: readonly string[];
  readonly source: TokenSource;
  readonly clock: Clock;
}

/** Tokens of a service account that another account may act as. */
export function impersonated({
  url,
  scope,
  delegates = [],
  source,
  clock,
}: ImpersonationOptions): TokenSource {
  return async (signal) => {
    const { token: ownToken } = await source(signal);
    const headers = { authorization: `Bearer ${ownToken}` };
    const { body } = await requestText({ url, headers, json: { scope: [scope], delegates } }, clock, signal);
    const { accessToken, expireTime } = jsonIn(body);
    return checkedToken(new URL(url).origin, accessToken, Date.parse(String(expireTime)));
  };
}
