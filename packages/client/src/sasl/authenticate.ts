import {
  type Api,
  apis,
  errorByCode,
  errors,
  type Fields,
  type ReadStruct,
  type WriteStruct,
} from '@weir/wire';
import type { Address } from '../address.ts';
import { SaslRefused } from './conversation.ts';
import { beginLogin, type SaslLogin } from './login.ts';
import { LoginFailed } from './login-failed.ts';

/** What a login needs of a connection: requests without others in between. */
export interface LoginChannel {
  readonly address: Address;
  offers(api: Pick<Api, 'key'>): boolean;
  request<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    body: WriteStruct<Request>,
  ): Promise<ReadStruct<Response>>;
}

/** More than any mechanism needs; bounds the exchange with a server that never finishes. */
const challengesMax = 4;

/**
 * Logs in or renews a login, and returns its lifetime in milliseconds; 0 means the lifetime of the connection. Throws
 * `LoginFailed`, and whatever the channel throws.
 */
export async function authenticate(channel: LoginChannel, login: SaslLogin): Promise<number> {
  await chooseMechanism(channel, login);
  const conversation = await beginLogin(login, channel.address.host);
  let message: Buffer | undefined = conversation.first();
  let lifetimeMs = 0;
  for (let challenges = 0; message !== undefined; challenges++) {
    if (challenges > challengesMax) {
      throw failed(channel, login, 'other', 'the broker does not complete the SASL exchange');
    }
    const answer = await channel.request(apis.SaslAuthenticate, { authBytes: message });
    if (answer.errorCode !== errors.NONE.code) {
      const words = [answer.errorMessage, conversation.refusal].filter(Boolean).join(' ');
      throw refusal(channel, login, answer.errorCode, words);
    }
    try {
      message = await conversation.answer(answer.authBytes);
    } catch (error) {
      if (!(error instanceof SaslRefused)) throw error;
      throw failed(channel, login, error.reason, `${login.mechanism}: ${error.message}`);
    }
    lifetimeMs = Number(answer.sessionLifetimeMs);
  }
  return Math.max(0, lifetimeMs);
}

async function chooseMechanism(channel: LoginChannel, login: SaslLogin): Promise<void> {
  const { mechanism } = login;
  // Raw SASL tokens without Kafka headers are not supported: they carry no reason for a failure.
  if (!channel.offers(apis.SaslHandshake) || !channel.offers(apis.SaslAuthenticate)) {
    throw failed(channel, login, 'no login here', 'the broker does not support SASL');
  }
  const { errorCode, mechanisms } = await channel.request(apis.SaslHandshake, { mechanism });
  if (errorCode === errors.NONE.code) return;
  if (errorCode === errors.UNSUPPORTED_SASL_MECHANISM.code) {
    const what = `the mechanism ${mechanism} is not enabled`;
    throw new LoginFailed(channel.address, mechanism, 'mechanism not enabled', what, mechanisms);
  }
  if (errorCode === errors.ILLEGAL_SASL_STATE.code) {
    throw failed(channel, login, 'no login here', 'this listener does not use SASL');
  }
  throw refusal(channel, login, errorCode, '');
}

function refusal(channel: LoginChannel, login: SaslLogin, code: number, serverMessage: string): LoginFailed {
  const known = errorByCode(code);
  const words = serverMessage || known?.message || 'no reason given';
  if (code === errors.SASL_AUTHENTICATION_FAILED.code) {
    return failed(channel, login, 'refused', `${login.mechanism} authentication failed: ${words}`);
  }
  return failed(
    channel,
    login,
    'other',
    `authentication failed: ${known?.name ?? `error ${code}`}: ${words}`,
  );
}

function failed(
  { address }: LoginChannel,
  { mechanism }: SaslLogin,
  problem: LoginFailed['problem'],
  what: string,
): LoginFailed {
  return new LoginFailed(address, mechanism, problem, what);
}
