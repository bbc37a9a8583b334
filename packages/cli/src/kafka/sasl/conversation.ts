/** What a client says to log in: the first message, and an answer to every challenge. Knows nothing of how they travel. */
export interface SaslConversation {
  first(): Buffer;

  /**
   * Answers a challenge, or ends the conversation with `undefined` once the server has proved what it has to. Throws
   * `SaslRefused` when the server refuses in the words of the mechanism, or does not prove itself.
   */
  answer(challenge: Buffer): Promise<Buffer | undefined>;

  /** Why the server refuses, where the mechanism has words for that which come before the failure itself. */
  readonly refusal?: string | undefined;
}

/** A conversation came to a bad end. */
export class SaslRefused extends Error {
  override readonly name = 'SaslRefused';
  readonly reason: 'refused' | 'server unproven';

  constructor(reason: SaslRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
