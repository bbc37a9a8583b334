import { type ErrorName, errors } from '@weir/wire';

/** The answer to a heartbeat of a consumer or share group that was refused. */
export function failedHeartbeat(error: ErrorName, errorMessage: string | null) {
  return {
    throttleTimeMs: 0,
    errorCode: errors[error].code,
    errorMessage,
    memberEpoch: 0,
    heartbeatIntervalMs: 0,
  };
}
