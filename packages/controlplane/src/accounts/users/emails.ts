import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';

/** A practical subset of e-mail addresses, not everything that the standard allows. */
const emailPattern = /^[\x21-\x7e]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/**
 * Addresses are ASCII: two that look the same, or become equal in lower case, would let one person sign in as another.
 * Domains in other scripts have an ASCII form.
 */
export function checkedEmail(email: string): string {
  if (isEmail(email)) return email.trim();
  throw new ApiError('invalid_request', 'Enter a valid e-mail address.');
}

export function isEmail(email: string): boolean {
  const trimmed = email.trim();
  return (
    trimmed.length <= apiLimits.emailCharsMax && emailPattern.test(trimmed) && trimmed.split('@').length === 2
  );
}

/** Returns the normalized form, which is unique. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}
