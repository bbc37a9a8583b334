/** A destination did not take a message. The text is one line, for users, and repeats nothing that it sent. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
  /** Whether another attempt would fail as well. */
  readonly isPermanent: boolean;

  constructor(message: string, { isPermanent = false }: { readonly isPermanent?: boolean } = {}) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

/** Messages of TLS repeat names of certificates, and those of HTTP what was received; codes repeat nothing. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'the connection failed';
}
