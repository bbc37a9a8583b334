/**
 * The error that a handler throws for the caller: a code of the API's error table, and a message. Stores throw the
 * same, so that their refusals reach the caller unchanged.
 */
export { ApiError as OperationFailed } from '@weir/api';
