/** The control plane refused the call; a retry will not help. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly kind: 'invalid' | 'internal';

  constructor(kind: 'invalid' | 'internal', message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The call exceeds the maximum size and was not sent. */
export class CallTooLarge extends CallRefused {
  constructor(message: string) {
    super('invalid', message);
  }
}
