import { ApiError } from '@weir/api';

/** What belongs to another account is not found either, and is not told apart from what never was. */
export function notFound(what: string): ApiError {
  return new ApiError('not_found', `${what} not found.`);
}
