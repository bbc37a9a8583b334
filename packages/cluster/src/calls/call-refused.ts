/** The control plane answered that it cannot do this, and asking again will not help. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly kind: 'invalid' | 'internal';

  constructor(kind: 'invalid' | 'internal', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The call is larger than what goes into one. It was not sent. */
export class CallTooLarge extends CallRefused {
  constructor(message: string) {
    super('invalid', message);
  }
}
