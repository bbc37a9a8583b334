/**
 * The client side of a SASL exchange: the first message, and an answer to every challenge. Independent of the
 * transport.
 */
export interface SaslConversation {
  first(): Buffer;

  /**
   * Answers a challenge, or ends the exchange with `undefined` once the server has proved its identity as the mechanism
   * requires. Throws `SaslRefused` when the server rejects the login within the mechanism, or does not prove itself.
   */
  answer(challenge: Buffer): Promise<Buffer | undefined>;

  /** The server's reason, where the mechanism sends one before the failure itself. */
  readonly refusal?: string | undefined;
}

/** A SASL exchange failed. */
export class SaslRefused extends Error {
  override readonly name = 'SaslRefused';
  readonly reason: 'refused' | 'server unproven';

  constructor(reason: SaslRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
