/**
 * What a handler throws when a caller is to be told: a code of the API's table of errors, and words. Stores throw the
 * same, so that what they refuse reaches the caller as it stands.
 */
export { ApiError as OperationFailed } from '@weir/api';
