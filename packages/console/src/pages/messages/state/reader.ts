import { useContextOfCaller } from '../../../session/context.ts';
import { missingRecordsRight } from '../../../session/rights.ts';
import { credentialOf, useCredential } from './kafka-credential.ts';

/** As whom a person reads the records of a cluster. */
interface Reader {
  /** Why a Kafka login is needed; `undefined` for who may read without one. */
  readonly missing: string | undefined;
  /** Whether it is known as whom to read. */
  readonly isReady: boolean;
  /** Changes with the login. */
  readonly version: number;
  /** The fields of a call. Who may read all records reads without the login, which is for producing then. */
  readonly login: () => ReturnType<typeof credentialOf>;
}

export function useReader(clusterId: string): Reader {
  const { data: context } = useContextOfCaller();
  const { user, version } = useCredential(clusterId);
  const missing = missingRecordsRight(context, clusterId);
  return {
    missing,
    isReady: context !== undefined && (missing === undefined || user !== undefined),
    version: missing === undefined ? 0 : version,
    login: () => (missing === undefined ? {} : credentialOf(clusterId)),
  };
}
