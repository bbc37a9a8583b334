import { pipelineLimits } from '../limits.ts';

/** Counts what is taken out of one message, and throws when it is more than a message may become. */
export class Expansion {
  readonly #messagesMax: number;
  #bytesLeft: number;
  #messages = 0;

  constructor({
    bytesMax = pipelineLimits.expandedBytesMax,
    messagesMax = pipelineLimits.expandedMessagesMax,
  }: { readonly bytesMax?: number; readonly messagesMax?: number } = {}) {
    this.#bytesLeft = bytesMax;
    this.#messagesMax = messagesMax;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  /** One more message of so many bytes. */
  add(bytes: number): void {
    if (++this.#messages > this.#messagesMax)
      throw new Error(`the message has more than ${this.#messagesMax} messages in it`);
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new Error('the message has more bytes in it than a message may become');
  }
}
