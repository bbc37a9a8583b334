import { coreLimits, utf8Text } from '@weir/core';
import { type Conversation, done, misspoken, refused, type Step } from '../session/conversation.ts';
import type { PasswordAnswer } from './password-check.ts';

type CheckPassword = (user: string, password: string) => Promise<PasswordAnswer>;

/**
 * PLAIN (RFC 4616): one message with three parts: authorization id, user name and password. Acting as another user is
 * not supported, so the authorization id is empty or equal to the user name. Names and passwords are not normalized, as
 * in Kafka.
 */
export class PlainConversation implements Conversation {
  readonly #check: CheckPassword;

  constructor(check: CheckPassword) {
    this.#check = check;
  }

  step(token: Buffer): Step | Promise<Step> {
    const parts = utf8Text(token)?.split('\0');
    if (parts === undefined) return misspoken('PLAIN message is not UTF-8');
    const [actAs, user, password] = parts;
    if (parts.length !== 3 || user === undefined || password === undefined) {
      return misspoken(`PLAIN message must have 3 parts, got ${parts.length}`);
    }
    if (user === '' || password === '') return misspoken('user name or password is empty', user);
    if (user.length > coreLimits.principalNameCharsMax) return misspoken('user name is too long');
    if (actAs !== '' && actAs !== user)
      return misspoken('authorization as another user is not allowed', user);
    return this.#verify(user, password);
  }

  async #verify(user: string, password: string): Promise<Step> {
    const answer = await this.#check(user, password);
    if (answer === 'right' || answer === 'old') return done(user, { hasOldPassword: answer === 'old' });
    return answer === 'wrong'
      ? refused(user, 'unknown user or wrong password')
      : misspoken('too many logins are queued; try again later', user);
  }
}
