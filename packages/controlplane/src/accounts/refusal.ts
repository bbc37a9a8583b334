/**
 * Why something was not done that somebody asked for. The codes are those of the API, so that a refusal goes to the caller as it stands;
 * any other error is ours and nobody's business outside.
 */
export type RefusalCode =
  | 'invalid_request'
  | 'not_found'
  | 'conflict'
  | 'duplicate_api_key_name'
  | 'rate_limited';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What belongs to another account is not found either, and is not told apart from what never was. */
export function notFound(what: string): Refusal {
  return new Refusal('not_found', `${what} not found.`);
}
