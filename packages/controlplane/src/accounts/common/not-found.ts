import { ApiError } from '@weir/api';

/** Objects of another account are reported as not found, indistinguishable from objects that never existed. */
export function notFound(what: string): ApiError {
  return new ApiError('not_found', `${what} not found.`);
}
